/**
 * Templates of offers, downloads and questions, which popup, panel and library page share. Text of
 * catalogues and bundles is inserted as text.
 */
import { html, nothing, type TemplateResult } from '../browser/ui/lit.mjs';
import type { DeskClient } from './connect.js';
import type { Refused } from './dropping.js';
import { isInstalled } from './offers.js';
import type { DeskState, DownloadRecord, Named, Offer, Question, Trouble } from './types.js';
import { percentText, publisherText, sizeText, t } from './words.js';

export type Shown = TemplateResult | typeof nothing;

/** Shows what went wrong with something that the reader asked for. */
export type Complain = (error: unknown) => void;

const downloadOf = (offer: Offer, { downloads }: DeskState): DeskState['downloads'][number] | undefined =>
  downloads.find((each) => each.offer.origin.address === offer.origin.address);

/** `brief`: its download is shown elsewhere. */
export function renderOffer(
  offer: Offer,
  state: DeskState,
  desk: DeskClient,
  complain: Complain,
  brief = false,
): TemplateResult {
  const download = downloadOf(offer, state);
  const installed = isInstalled(offer, state);
  return html`<li class="card">
    <div class="card-text">
      <p class="card-title"><bdi>${offer.title}</bdi> ${offer.version === '' ? nothing : html`<bdi class="version">${offer.version}</bdi>`}</p>
      ${offer.description === '' ? nothing : html`<p class="card-about" dir="auto">${offer.description}</p>`}
      <p class="card-facts">${[
        offer.bytes === undefined ? t('sizeUnknown') : sizeText(offer.bytes),
        offer.language,
        offer.licence,
        new URL(offer.origin.address).host,
      ]
        .filter((fact) => fact !== '')
        .map((fact, i) => html`${i > 0 ? ' · ' : nothing}<bdi>${fact}</bdi>`)}</p>
    </div>
    ${
      download !== undefined && brief
        ? html`<span class="done">${t('downloads')}</span>`
        : download !== undefined
          ? renderDownload(download, desk, complain)
          : installed !== undefined && !state.libraries.find(({ id }) => id === installed.id)?.missing
            ? html`<span class="done">${t('installed')}</span>`
            : html`<button type="button" class="primary" aria-label=${t('installNamed', offer.title, offer.version)} @click=${() => void install(desk, offer).catch(complain)}>${t('install')}</button>`
    }
  </li>`;
}

export async function install(desk: DeskClient, offer: Offer, replaces?: string): Promise<void> {
  await desk.call('install', [offer, replaces ?? null]);
}

export function renderDownload(
  download: DeskState['downloads'][number],
  desk: DeskClient,
  complain: Complain,
): TemplateResult {
  const { id, status, total, received, error, offer } = download;
  const press = (name: 'pause' | 'resume' | 'replace' | 'cancel') => (): void =>
    void desk.call(name, [id]).catch(complain);
  if (download.question !== undefined) return renderQuestion(download.question, press('replace'), press('cancel'));
  const share = total ? Math.min(1, received / total) : undefined;
  const name = offer.title || offer.library;
  const said =
    status === 'checking'
      ? t('checking')
      : status === 'failed'
        ? t('failed')
        : total === undefined
          ? sizeText(received)
          : t('progress', sizeText(received), sizeText(total), percentText(share ?? 0));
  return html`<div class="download">
    ${
      status === 'failed'
        ? nothing
        : html`<progress aria-label=${t('progressOf', name)} max="1" .value=${status === 'checking' ? 1 : (share ?? 0)} ?data-paused=${status === 'paused'}></progress>`
    }
    <p class="card-facts" role="status">${status === 'paused' ? `${t('paused')} · ` : ''}${said}</p>
    ${error === undefined ? nothing : renderTrouble(error)}
    <div class="buttons">
      ${status === 'running' ? html`<button type="button" @click=${press('pause')}>${t('pause')}</button>` : nothing}
      ${status === 'paused' ? html`<button type="button" @click=${press('resume')}>${t('resume')}</button>` : nothing}
      ${
        status !== 'failed'
          ? nothing
          : offer.origin.kind === 'file'
            ? nothing
            : error?.code === 'ACCESS'
              ? html`<button type="button" class="primary" @click=${() => void allow(offer.origin.address).then((allowed) => allowed && press('resume')())}>${t('allow', new URL(offer.origin.address).host)}</button>`
              : html`<button type="button" @click=${press('resume')}>${t('again')}</button>`
      }
      <button type="button" aria-label=${t('cancelNamed', name)} @click=${press('cancel')}>${t('cancel')}</button>
    </div>
  </div>`;
}

/** Two libraries of one name, each with its version and where it came from. */
function renderQuestion({ comes, goes }: Question, agree: () => void, decline: () => void): TemplateResult {
  const row = (label: string, { title, library, version, origin }: Named): TemplateResult =>
    html`<dt>${label}</dt><dd><bdi>${title}</bdi> <bdi class="version">${library} ${version}</bdi><br /><bdi class="quiet">${publisherText(origin)}</bdi></dd>`;
  return html`<div class="question" role="alert">
    <p>${t('replaceQuestion')}</p>
    <dl>${goes.map((each) => row(t('installed'), each))}${row(t('replaceNew'), comes)}</dl>
    <div class="buttons">
      <button type="button" class="danger" @click=${agree}>${t('replace')}</button>
      <button type="button" @click=${decline}>${t('replaceKeep')}</button>
    </div>
  </div>`;
}

/** Asks the browser for one host; must be called in the reader's press, with nothing awaited before. */
export function allow(address: string): Promise<boolean> {
  return chrome.permissions.request({ origins: [`${new URL(address).origin}/*`] });
}

/** A known code has a message in the reader's language; the error's own message follows as a detail. `about`: a file's name. */
export function renderTrouble({ code, message }: Trouble, about = ''): TemplateResult {
  const known = chrome.i18n.getMessage(`trouble_${code}`);
  return html`<div class="trouble"><p>${about === '' ? nothing : html`<bdi>${about}</bdi>: `}${known || t('trouble')}</p><p class="detail" dir="auto" lang="en">${message} <code>${code}</code></p></div>`;
}

/** Each file that was not installed, and why. */
export const renderRefused = (refused: readonly Refused[]): TemplateResult[] =>
  refused.map(({ name, trouble }) => renderTrouble(trouble, name));

export const activeDownloads = ({ downloads }: DeskState): (DownloadRecord & { received: number })[] => downloads;
