/** The packer's module worker: start it with `new Worker(url, { type: 'module' })`. One task, then it is ended. */
import { Peer, type Port } from '../client/rpc.js';
import type { PageMethods, WorkerMethods } from './protocol.js';
import { fetchRules } from './rules.js';
import { asked, packTask } from './work.js';

const page = new Peer<PageMethods, WorkerMethods>(globalThis as unknown as Port, {
  pack: (task) =>
    packTask(task, fetchRules, {
      cancelled: asked(task.cancel),
      progress: (progress) => page.tell('progress', progress),
      remark: (remark, isProblem) => page.tell('remark', remark, isProblem),
    }),
});
page.ready();
