import type { Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import type { Server, Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createBalancer, type Target } from "./balancer.ts";

/** Processes that note which connections they get. */
function setUp(count: number) {
  const server = new EventEmitter();
  const order: number[] = [];
  const targets = Array.from({ length: count }, (_, n): Target => {
    const send = () => void order.push(n);
    return { state: "ready", worker: { process: { send } } as unknown as Worker };
  });
  const balancer = createBalancer(
    server as Server,
    () => targets,
    () => order.push(-1),
  );
  const connect = () => server.emit("connection", new EventEmitter() as Socket);
  return { targets, balancer, order, connect };
}

describe("connections", () => {
  test("that end before the next one begins are spread over all processes", () => {
    const { targets, balancer, order, connect } = setUp(3);
    for (let n = 0; n < 6; n++) {
      connect();
      balancer.closed(targets[order.at(-1)!]!);
    }
    expect(order).toEqual([0, 1, 2, 0, 1, 2]);
  });

  test("go to the process with the fewest", () => {
    const { targets, balancer, order, connect } = setUp(2);
    for (let n = 0; n < 4; n++) connect();
    balancer.closed(targets[1]!);
    balancer.closed(targets[1]!);
    for (let n = 0; n < 3; n++) connect();
    expect(order).toEqual([0, 1, 0, 1, 1, 1, 0]);
  });

  test("go to no process that is not ready", () => {
    const { targets, order, connect } = setUp(2);
    targets[0]!.state = "stopping";
    connect();
    targets[1]!.state = "stopping";
    connect();
    expect(order).toEqual([1, -1]);
  });
});
