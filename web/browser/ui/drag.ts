/**
 * The sheet follows the finger on its handle, and closes if let go far down, or on the way down fast. Loaded once a finger is there; the
 * event is the one that began it.
 */
/** A flick that closes a sheet: pixels, pixels a millisecond, and milliseconds since the finger last moved. */
const FLICK = 24;
const FAST = 0.5;
const RECENT = 60;

export function dragSheet(
  { pointerId, clientY, timeStamp }: PointerEvent,
  handle: HTMLElement,
  dialog: HTMLDialogElement,
  close: () => void,
): void {
  handle.setPointerCapture(pointerId); // throws where the finger is gone
  const drag = new AbortController();
  let [moved, speed, before] = [0, 0, timeStamp];
  const listen = (type: 'pointermove' | 'pointerup' | 'pointercancel', on: (event: PointerEvent) => void): void =>
    handle.addEventListener(type, (event) => event.pointerId === pointerId && on(event), drag);
  listen('pointermove', (event) => {
    const next = Math.max(0, event.clientY - clientY);
    speed = (next - moved) / Math.max(1, event.timeStamp - before);
    [moved, before] = [next, event.timeStamp];
    dialog.style.translate = `0 ${moved}px`;
  });
  const end = (closes: boolean): void => {
    drag.abort();
    dialog.style.translate = '';
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return closes ? close() : undefined;
    const translate = [`0 ${moved}px`, closes ? '0 100%' : '0'];
    const slide = dialog.animate({ translate }, { duration: 180, easing: 'ease-out', fill: 'forwards' });
    slide.onfinish = () => {
      if (closes) close();
      slide.cancel();
    };
  };
  listen('pointerup', ({ timeStamp: at }) =>
    end(moved > dialog.offsetHeight / 4 || (moved > FLICK && speed > FAST && at - before < RECENT)),
  );
  listen('pointercancel', () => end(false));
}
