/**
 * A slow link on loopback: a relay in front of a server, shared by all connections of a browser.
 *
 *     const link = await slowLink(port);      // 127.0.0.1:<link.port> is the server at the end of the link
 *     await link.close();
 *
 * Each direction is a line that carries `bytesPerSecond`, one packet after the other whichever connection it belongs to,
 * and lets each arrive `latency / 2` later. A connection waits a round trip before its first byte, since TCP shakes hands;
 * TLS pays for its own by the bytes of it. What one connection may have under way is bounded, as by a router's queue.
 *
 * Chromium's own emulation delays answers, not bytes: connections, headers and requests cost nothing there.
 * Left out, of every contestant alike: loss, and TCP's slow start, which at this rate ends with the second round trip.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export const LINK = { latency: 150, bytesPerSecond: 200_000 };

/** Bytes of one connection that wait for their turn: two round trips' worth. */
const QUEUE = 60_000;
const PACKET = 1460;

export async function slowLink(port, { latency, bytesPerSecond } = LINK) {
  const sockets = new Set();
  const [up, down] = [line(latency / 2, bytesPerSecond), line(latency / 2, bytesPerSecond)];
  const relay = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        if (socket.destroyed && !socket.readableEnded) other.destroy();
      });
    }
    setTimeout(() => relayed(near, far, up), latency); // a socket that nobody listens to is not read
    relayed(far, near, down);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    port: relay.address().port,
    async close() {
      for (const socket of sockets) socket.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}

/** One direction. `send(bytes, arrive)` calls `arrive` when the line has carried the bytes, in the order of sending. */
function line(delay, bytesPerSecond) {
  const underway = [];
  let free = 0; // when all that was sent will have left
  let timer;
  const land = () => {
    timer = undefined;
    while (underway.length > 0 && underway[0].due <= performance.now()) underway.shift().arrive();
    if (underway.length > 0) timer = setTimeout(land, underway[0].due - performance.now());
  };
  return (bytes, arrive) => {
    free = Math.max(free, performance.now()) + (bytes / bytesPerSecond) * 1000;
    underway.push({ due: free + delay, arrive });
    if (timer === undefined) timer = setTimeout(land, underway[0].due - performance.now());
  };
}

function relayed(from, to, send) {
  let waiting = 0;
  from.on('data', (bytes) => {
    for (let at = 0; at < bytes.length; at += PACKET) {
      const packet = bytes.subarray(at, at + PACKET);
      waiting += packet.length;
      send(packet.length, () => {
        waiting -= packet.length;
        if (to.writable) to.write(packet);
        if (waiting <= QUEUE / 2) from.resume();
      });
    }
    if (waiting > QUEUE) from.pause();
  });
  from.on('end', () => send(0, () => to.end()));
}
