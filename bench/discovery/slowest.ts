export interface Slowest {
  /** Milliseconds until the last one had ended. */
  ms: number;
  /** The CPU time of the thread, in milliseconds. Other load on the machine affects it less. */
  cpuMs: number;
}

/** Runs `work` so many times at once. */
export async function measureSlowest(count: number, work: () => Promise<unknown>): Promise<Slowest> {
  const cpu = process.threadCpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, work));
  const { user, system } = process.threadCpuUsage(cpu);
  return { ms: performance.now() - started, cpuMs: (user + system) / 1000 };
}
