/**
 * A small XML file as a tree of elements: Maven's pom.xml, settings.xml and maven-metadata.xml. A library parses it leniently
 * (xml_format.d.mts); attributes, prefixes, comments and document types are dropped.
 *
 * Cost: linear. Text beyond the bounds is left out, so that a strange file gives less, not an error.
 */
import { xmlParser } from './xml_format.mjs';

const LIMITS = { elements: 200_000, depth: 64, characters: 8192 };

export class Element {
  readonly name: string;
  readonly children: Element[] = [];
  text = '';

  constructor(name: string) {
    this.name = name;
  }

  /** The first element at a path such as `scm/url`. */
  at(path: string): Element | undefined {
    let found: Element | undefined = this;
    for (const name of path.split('/')) found = found?.children.find((child) => child.name === name);
    return found;
  }

  /** Its text, without outer spaces. */
  of(path: string): string | undefined {
    const text = this.at(path)?.text.trim();
    return text === '' ? undefined : text;
  }

  /** The elements of one name in the first element at a path. */
  all(path: string): Element[] {
    const cut = path.lastIndexOf('/');
    const parent = cut < 0 ? this : this.at(path.slice(0, cut));
    return parent?.children.filter(({ name }) => name === path.slice(cut + 1)) ?? [];
  }
}

/** The root element; undefined if there is none. */
export function parseXml(text: string): Element | undefined {
  const parser = xmlParser(true, {});
  const open: Element[] = [];
  let root: Element | undefined;
  let count = 0;
  parser.onopentag = ({ name }) => {
    const element = new Element(name.slice(name.indexOf(':') + 1));
    const parent = open.at(-1);
    if (++count <= LIMITS.elements && open.length < LIMITS.depth) {
      if (parent === undefined) root ??= element;
      else parent.children.push(element);
    }
    open.push(element);
  };
  parser.onclosetag = () => {
    open.pop();
  };
  parser.ontext = parser.oncdata = (part) => {
    const element = open.at(-1);
    if (element !== undefined && element.text.length < LIMITS.characters)
      element.text += part.slice(0, LIMITS.characters);
  };
  parser.onerror = () => {
    (parser as unknown as { error: null }).error = null;
  };
  parser.write(text.replace(/^\ufeff/, '')).close();
  return root;
}
