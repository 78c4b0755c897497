/** Logs go to stderr, a line each: `[info] text`, or JSON with the request and its token, for machines that collect them. */
import { oneLine } from '../base/terminal.js';
import { asking } from './asking.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Log {
  /** `fields` are for machines: the text alone says it to people. */
  (level: LogLevel, message: string, fields?: Readonly<Record<string, string | number>>): void;
}

export type LogFormat = 'text' | 'json';

export const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

const MOST = 8_000;

export function createLog(least: LogLevel, format: LogFormat = 'text'): Log {
  return (level, message, fields) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    process.stderr.write(format === 'text' ? `[${level}] ${oneLine(message)}\n` : jsonLine(level, message, fields));
  };
}

function jsonLine(level: LogLevel, message: string, fields: Readonly<Record<string, string | number>> = {}): string {
  const { id, who, trace } = asking() ?? {};
  const entry = {
    time: new Date().toISOString(),
    level,
    message: message.slice(0, MOST),
    ...(id === undefined ? {} : { request: id }),
    ...(trace === undefined ? {} : { trace }),
    ...(who === undefined ? {} : { token: who.name }),
    ...fields,
  };
  return `${JSON.stringify(entry)}\n`;
}
