import type { Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Metrics,
  mergeSnapshots,
  type ProcessSnapshot,
  type Snapshot,
  withoutGauges,
} from "../metrics.ts";

/** A process that does not answer in this time is shown with its last values. */
const answerMs = 2_000;

/** A process whose metrics are collected. */
export interface MeasuredProcess {
  worker: Worker;
  number: number;
  ended: Pick<PromiseWithResolvers<number>, "promise">;
}

interface Collector {
  /** The metrics of these processes and of this one, and what ended processes have counted. */
  collect(children: readonly MeasuredProcess[]): Promise<ProcessSnapshot[]>;
  receive(child: MeasuredProcess, id: number | undefined, snapshot: Snapshot): void;
  /** Keeps what an ended process has counted, so that counters never become smaller. */
  retire(child: MeasuredProcess): void;
}

/** Collects the metrics of all processes of this machine. */
export function createCollector(own: Metrics): Collector {
  const last = new Map<MeasuredProcess, Snapshot>();
  const waiting = new Map<number, () => void>();
  let retired: Snapshot | undefined;
  let asked = 0;

  async function ask(child: MeasuredProcess): Promise<void> {
    const id = ++asked;
    const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
    if (child.worker.isConnected()) child.worker.send({ kind: "readMetrics", id }, () => {});
    await Promise.race([answered, child.ended.promise, sleep(answerMs, undefined, { ref: false })]);
    waiting.delete(id);
  }

  return {
    async collect(children) {
      await Promise.all(children.map(ask));
      return [
        { process: 0, snapshot: own.read() },
        ...(retired ? [{ snapshot: retired }] : []),
        ...[...last].map(([{ number }, snapshot]) => ({ process: number, snapshot })),
      ];
    },
    receive(child, id, snapshot) {
      last.set(child, snapshot);
      if (id !== undefined) waiting.get(id)?.();
    },
    retire(child) {
      const snapshot = last.get(child);
      last.delete(child);
      if (!snapshot) return;
      const parts = [withoutGauges(snapshot), ...(retired ? [retired] : [])];
      retired = mergeSnapshots(parts.map((one) => ({ snapshot: one })));
    },
  };
}
