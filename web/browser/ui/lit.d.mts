/**
 * The part of Lit that the component uses. dist/browser/ui/lit.mjs is made of the lines below by
 * scripts/ui_bundle.mjs: one file without imports, so that a page without a bundler can load it.
 */
export { css, html, LitElement, nothing } from 'lit';
export type {
  CSSResult,
  PropertyDeclarations,
  PropertyValues,
  ReactiveController,
  ReactiveControllerHost,
  TemplateResult,
} from 'lit';
