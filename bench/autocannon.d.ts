/** The little of autocannon that the benchmarks use; it ships no types. */
declare module "autocannon" {
  interface Options {
    url: string;
    connections: number;
    pipelining?: number;
    /** Seconds. */
    duration: number;
    method?: string;
    headers?: Record<string, string>;
    body?: string;
  }
  interface Result {
    "2xx": number;
    non2xx: number;
    errors: number;
    /** Seconds. */
    duration: number;
    latency: { p50: number; p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
