import pg from "pg";
import { type BoundValue, ByteParts, serializeBind } from "./bind.ts";

/** The argument of the driver's own `bind`. */
interface BindConfig {
  portal?: string;
  statement?: string;
  binary?: boolean;
  values?: readonly unknown[];
  valueMapper(value: unknown): string | Buffer | null;
}

type Bind = (this: pg.Connection, config: BindConfig) => void;

/** A connection of the driver that sends bytes from where they are. */
export class Client extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The driver has this field, but its types do not list it.
    const { connection } = this as unknown as { connection: { bind: Bind } };
    connection.bind = createBind(connection.bind);
  }
}

const createBind = (driverBind: Bind): Bind =>
  function bind(config) {
    // Only statements that read a result in parts have a portal with a name.
    if (config.portal || config.binary) return driverBind.call(this, config);
    const values = (config.values ?? []).map(
      (value): BoundValue => (value instanceof ByteParts ? value : config.valueMapper(value)),
    );
    if (!this.stream.writable) return;
    // The driver has corked the stream, so all pieces are sent together.
    for (const piece of serializeBind(config.statement ?? "", values)) this.stream.write(piece);
  };
