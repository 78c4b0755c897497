/** A reader of YAML. dist/browser/convert/yaml.mjs is made of the line below by scripts/library_bundle.mjs. */
export { JSON_SCHEMA, load as loadYaml } from 'js-yaml';
