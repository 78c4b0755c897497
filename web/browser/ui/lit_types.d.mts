/**
 * What the types of `<sheaf-search>` say about Lit, for projects without Lit. scripts/ui_bundle.mjs copies this file to
 * dist/browser/ui/lit.d.mts, beside the bundle that it describes; our own sources are compiled against Lit itself (lit.d.mts).
 */

/** The names of changed properties, with their old values. */
export type PropertyValues = Map<PropertyKey, unknown>;

/** The attributes of properties. */
export type PropertyDeclarations = { readonly [name: string]: object };

/** A style sheet. */
export interface CSSResult {
  readonly cssText: string;
}

/** The base class: an element that renders again when a property changes. */
export declare class LitElement extends HTMLElement {
  /** Resolves when the latest changes are rendered. */
  readonly updateComplete: Promise<boolean>;
  /** Renders again, soon. */
  requestUpdate(name?: PropertyKey, oldValue?: unknown): void;
  static properties: PropertyDeclarations;
  static get observedAttributes(): string[];
  attributeChangedCallback(name: string, old: string | null, value: string | null): void;
  connectedCallback(): void;
  disconnectedCallback(): void;
  protected scheduleUpdate(): void | Promise<unknown>;
  protected willUpdate(changed: PropertyValues): void;
  protected firstUpdated(changed: PropertyValues): void;
  protected updated(changed: PropertyValues): void;
  protected createRenderRoot(): HTMLElement | DocumentFragment;
  protected render(): unknown;
}

/** What a template becomes when it is drawn. */
export interface TemplateResult {
  readonly strings: TemplateStringsArray;
}

export declare const html: (strings: TemplateStringsArray, ...values: unknown[]) => TemplateResult;
export declare const css: (strings: TemplateStringsArray, ...values: unknown[]) => CSSResult;
export declare const nothing: unique symbol;
