import type { Platform } from "../../../platform/context.ts";
import { defineState } from "../../../platform/state.ts";
import { aliveEverySeconds } from "../states/index.ts";
import * as store from "./store.ts";

/** The interval grows with the fleet, so that all workers together send no more heartbeats a second than this. */
const maxBeatsPerSecond = 700;
/** Intervals differ by this share, so that workers that started together do not beat together. */
const jitter = 0.1;

/** Says regularly that this process answers workers, and knows the interval that they are told. */
export const serviceClock = defineState({
  name: "worker service clock",
  create: (platform) => createServiceClock(platform),
  stop: (clock) => clock.stop(),
});

function createServiceClock({ db, log, config }: Pick<Platform, "db" | "log" | "config">) {
  let intervalSeconds = config.workerHeartbeatSeconds;
  let isAdapted = false;
  let work: Promise<void> | undefined;
  const markAlive = async () => {
    try {
      if (!isAdapted) await adaptInterval({ db, config });
      isAdapted = true;
      intervalSeconds = (await store.markAliveAcrossOrganizations(db))?.intervalSeconds ?? intervalSeconds;
    } catch (error) {
      log.warn({ err: error }, "worker service time not written");
    }
  };
  const run = () => {
    work ??= markAlive().finally(() => {
      work = undefined;
    });
    return work;
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    /** To be called in a process that answers workers. */
    start: () => {
      timer ??= setInterval(run, aliveEverySeconds * 1000).unref();
      return run();
    },
    nextSeconds: () => jitterSeconds(intervalSeconds, Math.random()),
    stop: async () => {
      clearInterval(timer);
      await work;
    },
  };
}

/** `random` is between 0 and 1. */
export const jitterSeconds = (seconds: number, random: number): number =>
  Math.round(seconds * (1 - jitter + 2 * jitter * random) * 10) / 10;

export const chooseInterval = (workers: number, minSeconds: number): number =>
  Math.max(minSeconds, Math.ceil(workers / maxBeatsPerSecond));

/** Adapts the interval to the size of the fleet. */
export async function adaptInterval({ db, config }: Pick<Platform, "db" | "config">): Promise<void> {
  const count = await store.countBeatingAcrossOrganizations(db);
  await store.setIntervalAcrossOrganizations(db, chooseInterval(count, config.workerHeartbeatSeconds));
}
