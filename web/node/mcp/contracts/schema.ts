/** JSON Schema that the contracts write often. */
import type { JsonObject } from '../tool.js';

/** An array of objects. */
export function listOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'array', items: { type: 'object', properties, required } };
}
