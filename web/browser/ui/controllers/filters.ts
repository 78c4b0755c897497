/**
 * Filters that a page writes itself: form controls in the slot `filters`.
 *
 *     <select slot="filters" aria-label="Section">
 *       <option value="">Everything</option>
 *       <option value="guide/">Guide</option>
 *     </select>
 *
 * A value is the beginning of a page's path below the base URL, or of its source path. Values
 * chosen within one group are alternatives (OR); several named groups must all match (AND); choosing
 * nothing keeps everything.
 */
import type { Hit } from '../../client/types.js';
import type { ShownHit } from '../state/groups.js';

type Control = HTMLInputElement | HTMLSelectElement;

/** The filter set by the controls among and within `elements`, or undefined. The first hit reveals `packedBase`. */
export function filterOf(elements: readonly Element[], packedBase: () => string): ((hit: Hit) => boolean) | undefined {
  const groups = new Map<string, string[]>();
  const controls = elements
    .flatMap((element) => [element, ...element.querySelectorAll('*')])
    .filter((element): element is Control => element.matches('input, select'));
  controls.forEach((control, i) => {
    const name = control.name || String(control instanceof HTMLSelectElement ? i : '');
    const values = valuesOf(control).filter((value) => value !== '');
    if (values.length > 0) groups.set(name, [...(groups.get(name) ?? []), ...values]);
  });
  if (groups.size === 0) return undefined;
  return (hit) =>
    [...groups.values()].every((prefixes) =>
      prefixes.some((prefix) => matches(hit, prefix, (hit as ShownHit).base ?? packedBase())),
    );
}

function valuesOf(control: Control): string[] {
  if (control instanceof HTMLSelectElement) return [...control.selectedOptions].map((option) => option.value);
  if (control.type === 'checkbox' || control.type === 'radio') return control.checked ? [control.value] : [];
  return [control.value.trim()];
}

function matches(hit: Hit, prefix: string, packedBase: string): boolean {
  const path =
    packedBase !== '' && hit.url.startsWith(packedBase)
      ? hit.url.slice(packedBase.length).replace(/^\/+/, '')
      : hit.url;
  return path.startsWith(prefix) || hit.source.startsWith(prefix);
}
