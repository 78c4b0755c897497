/**
 * Turns Swagger 2 into OpenAPI 3. dist/browser/convert/openapi_upgrader.mjs is made of the line below by
 * scripts/library_bundle.mjs.
 */
export { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
