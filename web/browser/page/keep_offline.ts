/**
 * Starts the service worker of a site made with `offline` (web/browser/offline), so that the search works without a
 * network. Only such sites load it.
 */

/** For Trusted Types: registering requires a policy. */
const OFFLINE_POLICY = 'sheaf-offline';

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}

/** Registers `script` when the page has loaded, except for readers who save data. */
export function keepOfflineLater(script: string): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  // Undefined where the page is not served securely.
  if (!(navigator.serviceWorker as ServiceWorkerContainer | undefined) || connection?.saveData) return;
  const tell = (error: Error): void => console.warn(`sheaf: search will not work offline: ${error.message}`);
  const later = (): unknown => setTimeout(() => keepOffline(script).catch(tell), 1000);
  if (document.readyState === 'complete') later();
  else addEventListener('load', later, { once: true });
}

/** A worker of the site's own is left in place. */
async function keepOffline(script: string): Promise<void> {
  const root = new URL('.', script).href;
  const name = script.slice(root.length);
  const present = await navigator.serviceWorker.getRegistration(root);
  const known = (present?.active ?? present?.waiting ?? present?.installing)?.scriptURL ?? script;
  if (!known.endsWith(`/${name}`)) {
    console.info(`sheaf: ${known} is in charge here; for search offline, let it say: importScripts('${script}')`);
    return;
  }
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy } })
    .trustedTypes;
  const policy = types?.createPolicy(OFFLINE_POLICY, { createScriptURL: (url: string) => url });
  await navigator.serviceWorker.register((policy?.createScriptURL(script) ?? script) as string, {
    scope: root,
    updateViaCache: 'none',
  });
}
