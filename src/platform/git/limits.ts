/** Limits for reading one repository. */
export interface GitLimits {
  /** Of refs that a server of the old protocol lists without being asked. */
  advertisementBytes: number;
  packBytes: number;
  /** Packets in one reply. A normal reply has few and large packets. */
  packets: number;
  objects: number;
  /** Everything that is inflated or put together from deltas, counted as often as it is. */
  inflatedBytes: number;
  /** A larger object is checked and skipped, and never held in memory. */
  objectBytes: number;
  deltaDepth: number;
  /** Bytes of objects that are in memory while a chain of deltas is applied. */
  heldBytes: number;
  /** Bytes of cached objects that other objects are built from. */
  cacheBytes: number;
  timeoutMs: number;
}

export const defaultLimits: GitLimits = {
  advertisementBytes: 16 * 1024 * 1024,
  packBytes: 64 * 1024 * 1024,
  packets: 500_000,
  objects: 250_000,
  inflatedBytes: 512 * 1024 * 1024,
  objectBytes: 8 * 1024 * 1024,
  // Git makes chains of 50; aggressive repacking once made 250.
  deltaDepth: 500,
  heldBytes: 64 * 1024 * 1024,
  cacheBytes: 16 * 1024 * 1024,
  timeoutMs: 120_000,
};

export const mebibytes = (bytes: number) => `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB`;
