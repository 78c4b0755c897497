/**
 * Whether what was fetched would make a bundle worse that is there already. A network that fails, a repository that does not
 * answer, or git that is not installed must not put a README in the place of documentation.
 *
 *     documentation in the repository  >  in the package  >  llms.txt of its site  >  README
 *
 * The same version    keeps its text, if now only a place further down this line gives one, whatever the reason; and if fewer than
 *                     half of its pages are left, of a site or a package: a repository and a folder are what they are.
 * Another version     is not taken, if a better place was out of reach: it would be what is searched from now on. If that place
 *                     was reached and has nothing for it, this is the documentation of that version.
 */
import { isPackage } from './ecosystems.js';
import type { PackageContent, SourceSpec } from './source.js';

/** What a bundle is made of. */
export interface Contents {
  version: string;
  source: SourceSpec;
  /** Of a package. */
  content?: PackageContent | undefined;
  pages: number;
  /** A better place could not be read this time. */
  incomplete?: boolean | undefined;
}

const PLACES: readonly PackageContent[] = ['readme', 'site', 'package', 'repository'];
const NAMES: Readonly<Record<PackageContent, string>> = {
  repository: 'the documentation in its repository',
  package: 'the documentation in its package',
  site: 'the text of its site',
  readme: 'its README',
};
/** Sources of which a part may be out of reach. */
const mayLackParts = (spec: SourceSpec): boolean =>
  isPackage(spec) || ['sitemap', 'llms', 'installed'].includes(spec.type);

/** A clause with the reason for keeping `held`; undefined if `offered` may take its place or stand beside it. Pure. */
export function whyWorse(held: Contents, offered: Contents): string | undefined {
  const isSameVersion = held.version === offered.version;
  const count = ({ pages }: Contents): string => `${pages} ${pages === 1 ? 'page' : 'pages'}`;
  if (
    held.content !== undefined &&
    offered.content !== undefined &&
    PLACES.indexOf(offered.content) < PLACES.indexOf(held.content) &&
    (isSameVersion || offered.incomplete === true)
  ) {
    const reach = offered.incomplete ? ', because a better source was out of reach' : '';
    return `it holds ${NAMES[held.content]} (${count(held)}), and only ${NAMES[offered.content]} (${count(offered)}) ${isSameVersion ? '' : `of ${offered.version} `}could be had now${reach}`;
  }
  const isSameSource = JSON.stringify(held.source) === JSON.stringify(offered.source);
  if (isSameVersion && isSameSource && mayLackParts(held.source) && offered.pages * 2 < held.pages)
    return `it holds ${count(held)}, and only ${count(offered)} could be had now`;
  return undefined;
}
