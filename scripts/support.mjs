// Shared by the scripts: runs commands with their output in build/log, and reports progress.
//
// A step prints one line when it starts and the same line with its time when it ends. On a terminal
// that line is live and shows the command's latest output; elsewhere (CI logs) a line every fifteen
// seconds says that the step is still running. Node's built-ins only: this runs before `npm ci`.
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
export const logDir = path.join(root, "build", "log");
/** The oldest browsers that the search runs in (docs/site.md), for esbuild, which takes all of \p{…} for newer than it is. */
export const browsers = {
  target: ["chrome94", "edge94", "firefox101", "safari16.4"],
  supported: { "regexp-unicode-property-escapes": true },
};

const out = process.stderr; // results go to stdout, progress to stderr
const live = Boolean(out.isTTY) && !process.env.CI;
const color = live && !process.env.NO_COLOR && process.env.TERM !== "dumb";
const paint = (code, text) => (color ? `\x1b[${code}m${text}\x1b[0m` : text);
export const bold = (text) => paint(1, text);
export const dim = (text) => paint(2, text);

/** A failure whose message says everything: shown without a stack trace. */
export class Failure extends Error {}

export function say(text = "") {
  out.write(`${text}\n`);
}

export function seconds(ms) {
  const s = ms / 1000;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 100) return `${Math.round(s)} s`;
  return `${Math.floor(s / 60)} min ${String(Math.round(s % 60)).padStart(2, "0")} s`;
}

/** The processor time that the commands of a part took, in ms (`run` adds to it). */
const usage = new AsyncLocalStorage();

/** Runs `work` and returns { result, wall, processor }: what it returned, and its times in ms. */
export async function measured(work) {
  const used = { processor: 0 };
  const begun = Date.now();
  const result = await usage.run(used, work);
  return { result, wall: Date.now() - begun, processor: used.processor };
}

/** The processor time in what a shell's `times` prints: minutes and seconds of itself, then of its children. */
const processorTime = (printed) =>
  [...printed.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, s]) => sum + minutes * 60_000 + s * 1000, 0);

const running = []; // the steps that are running: { title, begun, note }; the last one has the live line
const steps = new AsyncLocalStorage(); // the step that a command belongs to

function clearLine() {
  if (live) out.write("\r\x1b[2K");
}

function drawLine() {
  const shown = running.at(-1);
  if (!live || !shown) return;
  const head = `… ${shown.title}  ${seconds(Date.now() - shown.begun)}`;
  const room = (out.columns ?? 80) - head.length - 3;
  const note = room > 8 && shown.note ? `  ${shown.note.slice(0, room)}` : "";
  out.write(`\r\x1b[2K${head}${dim(note)}`);
}

/** Runs `work` as a step with a title. What `work` returns, if a string, is shown after the time. Steps may overlap. */
export async function step(title, work) {
  const current = { title, begun: Date.now(), note: "" };
  running.push(current);
  if (!live) say(`… ${title}`);
  drawLine();
  const timer = setInterval(
    () => {
      if (live) drawLine();
      else
        say(
          `  … ${title}: ${seconds(Date.now() - current.begun)}${current.note ? `  ${current.note.slice(0, 100)}` : ""}`,
        );
    },
    live ? 250 : 15_000,
  );
  try {
    const result = await steps.run(current, work);
    clearLine();
    say(`✓ ${title}  ${dim(seconds(Date.now() - current.begun))}${typeof result === "string" ? `  ${result}` : ""}`);
    return result;
  } catch (error) {
    clearLine();
    say(`✗ ${title}  ${dim(seconds(Date.now() - current.begun))}`);
    throw error;
  } finally {
    clearInterval(timer);
    running.splice(running.indexOf(current), 1);
  }
}

/** Waits for all, so that no command is cut off in its work (apt!), and then fails as the first of them that did. */
export async function together(...promises) {
  for (const { status, reason } of await Promise.allSettled(promises)) if (status === "rejected") throw reason;
}

/** Prints a line without disturbing the running step's own line. */
export function note(text) {
  clearLine();
  say(`  ${text}`);
  drawLine();
}

const children = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    for (const child of children) {
      try {
        process.kill(-child.pid, signal); // its group: the command is a child of the shell
      } catch {
        // it has ended
      }
    }
    clearLine();
    process.exit(signal === "SIGINT" ? 130 : 143);
  });
}

/**
 * Runs a command; its output goes to build/log/<log>.log. A non-zero exit shows the log's tail and
 * throws, unless it is among `accept` or `allowFailure` is set. After `patience` ms it is killed. Returns { code, output, logPath }
 * with the last 256 kB of output.
 */
export function run(
  command,
  args,
  { log, cwd = root, env = {}, accept = [0], allowFailure = false, append = false, patience = 0 } = {},
) {
  fs.mkdirSync(logDir, { recursive: true });
  const logPath = path.join(logDir, `${log}.log`);
  const file = fs.openSync(logPath, append ? "a" : "w");
  const shown = [command, ...args].join(" ");
  fs.writeSync(file, `$ ${shown}\n`);
  return new Promise((resolve, reject) => {
    const current = steps.getStore();
    // The shell says on descriptor 3 how much processor time the command took.
    const child = spawn("sh", ["-c", '"$@" 3>&-; code=$?; times >&3; exit $code', "sh", command, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      detached: true,
    });
    children.add(child);
    const timer = patience > 0 ? setTimeout(() => process.kill(-child.pid, "SIGKILL"), patience) : undefined;
    let tail = "";
    let times = "";
    child.stdio[3]?.on("data", (chunk) => {
      times += chunk;
    });
    const take = (chunk) => {
      fs.writeSync(file, chunk);
      const text = chunk.toString("utf8");
      tail = (tail + text).slice(-256 * 1024);
      if (current) {
        const lines = text
          .split(/[\r\n]+/)
          .map((line) => line.trim())
          .filter(Boolean);
        if (lines.length) {
          current.note = lines[lines.length - 1].replace(/\x1b\[[0-9;]*m/g, "");
          drawLine();
        }
      }
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => {
      children.delete(child);
      fs.closeSync(file);
      reject(new Failure(`Could not start \`${command}\`: ${error.message}`));
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      children.delete(child);
      fs.closeSync(file);
      if (current) current.note = "";
      const used = usage.getStore();
      if (used) used.processor += processorTime(times);
      const status = code ?? `signal ${signal}`;
      if (accept.includes(code) || allowFailure) return resolve({ code: code ?? 1, output: tail, logPath });
      const last = tail
        .trimEnd()
        .split("\n")
        .slice(-40)
        .map((line) => `    ${line}`)
        .join("\n");
      reject(new Failure(`\`${shown}\` failed (${status}). The end of ${path.relative(root, logPath)}:\n${last}`));
    });
  });
}

/** Runs a short command and returns its standard output, or null when it fails or does not exist. */
export function ask(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], ...options });
  return result.status === 0 ? result.stdout : null;
}

export function exists(program) {
  return (process.env.PATH ?? "").split(path.delimiter).some((dir) => {
    try {
      fs.accessSync(path.join(dir, program), fs.constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** How many compilers to run in parallel: one per core, with 1.5 GB of memory for each. */
export function jobs() {
  const limit = process.constrainedMemory?.() ?? 0;
  const memory = limit > 0 && limit < os.totalmem() ? limit : os.totalmem();
  return Math.max(1, Math.min(os.availableParallelism?.() ?? os.cpus().length, Math.floor(memory / 1.5e9)));
}

/** The parts that `--only=a,b` names, or all of `parts`. Throws for a name that is none of them. */
export function chosenParts(parts, flags = []) {
  const given = process.argv.find((arg) => arg.startsWith("--only="));
  const unknown = process.argv.slice(2).find((arg) => arg !== given && !flags.includes(arg));
  if (unknown !== undefined)
    throw new Failure(`${unknown}: expected nothing, or --only= with some of ${parts.join(", ")}.`);
  const chosen = given?.slice("--only=".length).split(",") ?? parts;
  for (const part of chosen) {
    if (!parts.includes(part)) throw new Failure(`--only=${part}: expected some of ${parts.join(", ")}.`);
  }
  return chosen;
}

/** The newest modification time below the given files and folders, in ms; 0 when there is none. */
export function newest(...places) {
  let latest = 0;
  for (const place of places) {
    let stat;
    try {
      stat = fs.statSync(place);
    } catch {
      continue;
    }
    latest = Math.max(latest, stat.mtimeMs);
    if (stat.isDirectory()) {
      for (const name of fs.readdirSync(place)) latest = Math.max(latest, newest(path.join(place, name)));
    }
  }
  return latest;
}

/**
 * Runs a script's main function: a Failure prints its message and exits with code 1, any other error
 * prints a stack trace.
 */
export function main(url, body) {
  if (process.argv[1] === undefined || fs.realpathSync(process.argv[1]) !== fileURLToPath(url)) return;
  body().then(
    (code) => process.exit(typeof code === "number" ? code : 0),
    (error) => {
      clearLine();
      say(error instanceof Failure ? `\n${error.message}` : `\n${error.stack}`);
      process.exit(1);
    },
  );
}
