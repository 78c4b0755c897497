/**
 * `@theme/SearchBar`: `<sheaf-search>` in Docusaurus's navigation bar. Hits are followed by its router, and
 * keep to the version that is being read, elsewhere to the latest.
 */
import { createElement, useEffect, useRef } from 'react';
import { useHistory, useLocation } from '@docusaurus/router';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { useAllDocsData } from '@docusaurus/plugin-content-docs/client';
import { applyFilter, followBy, keepTo, type SearchElement } from '../../../page.js';
import { arrival } from '../../arrival.js';
import { versionAt } from '../../versions.js';

export default function SearchBar(): unknown {
  const element = useRef<SearchElement | null>(null);
  const history = useHistory();
  const { pathname } = useLocation();
  const { baseUrl } = useDocusaurusContext().siteConfig;
  const docs = useAllDocsData();
  const { part, parts } = versionAt(pathname, Object.values(docs));

  useEffect(() => {
    if (element.current === null) return;
    return followBy(element.current, baseUrl, (route) => arrival(() => history.push(route)));
  }, [history, baseUrl]);
  useEffect(() => {
    if (element.current !== null) void applyFilter(element.current, keepTo(part, parts));
  }, [part, parts.join(' ')]);
  return createElement('sheaf-search', { ref: element });
}
