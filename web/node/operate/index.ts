/** What a server over HTTP loads of this folder, at once. */
export { Access } from './access.js';
export { END_MS, Operation } from './operation.js';
