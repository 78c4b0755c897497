/** Elements as expressions. Text is text: nothing here reads markup. */
type Child = Node | string | undefined | false;
type Props<Tag extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[Tag], 'style' | 'children' | 'dataset'>
> & { label?: string };

/** `label`: what assistive technology calls it. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { label, ...props }: Props<Tag> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), props);
  if (label !== undefined) element.setAttribute('aria-label', label);
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return element as HTMLElementTagNameMap[Tag];
}

export function byId<Type extends HTMLElement>(id: string): Type {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page lacks #${id}.`);
  return element as Type;
}

/** Gives the user a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
