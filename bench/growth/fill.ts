import pg from "pg";

export interface Filled {
  orgId: string;
  memberId: string;
  automationId: string;
  connectorId: string;
  repository: string;
}

const organizations = 10_000;
const rowsPerStatement = 250_000;
/** Tables that are filled at the same time. */
const connections = 2;

/**
 * Writes `rows` rows into each large table, over 90 days. Half of them belong to the organization of the caller, the
 * others to 10,000 organizations.
 */
export async function fill(
  url: string,
  rows: number,
  automationId: string,
  logProgress: (text: string) => void,
): Promise<Filled> {
  const client = await connect(url);
  const { rows: found } = await client.query("select org_id, member_id from automations where id = $1", [
    automationId,
  ]);
  const { org_id: orgId, member_id: memberId } = found[0];
  await client.query(
    `insert into organizations (id, name, slug, created_at)
     select 'org_' || lpad(n::text, 26, '0'), 'Other', 'other-' || n, now() - interval '90 days'
     from generate_series(1, $1::int) n`,
    [organizations],
  );
  const repository = "acme/growth";
  const connectorId = "con_00000000000000000000000001";
  await client.query(
    `insert into connectors (id, org_id, name, codehost, repository, repository_key, clone_url, ref, access_kind, status,
       created_by)
     values ($1, $2, 'Growth', 'github', $3, $3, 'https://github.com/acme/growth.git', 'refs/heads/main', 'none', 'active',
       $4)`,
    [connectorId, orgId, repository, memberId],
  );
  await client.query("vacuum analyze organizations, connectors");
  // The same columns for all statements: n, the time, the id without its prefix, and the organization.
  // The digits of a time take longer than the rest of a row, so neighbors share them.
  const shared = Math.max(1, Math.floor(rows / 10_000));
  const time = (n: string) => `now() - (1 - ${n} / ${rows}.0) * interval '90 days'`;
  const source = `(
    select n, ${time("n")} as at, digits || lpad(n::text, 16, '0') as id,
      case when n % 2 = 0 then $3::text else 'org_' || lpad((1 + n / 2 % ${organizations})::text, 26, '0') end as org
    from (
      select first, id_digits_at(${time("first")}) as digits from generate_series($1::int, $2::int, ${shared}) first
      offset 0) f
    cross join lateral generate_series(first, least(first + ${shared - 1}, $2::int)) n) s`;
  const statements: [text: string, ...values: string[]][] = [
    [
      `insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status, created_at,
         started_at, finished_at, no)
       select 'run_' || id, org, $4, 1, $5, 'manual', case when n % 100 = 0 then 'failed' else 'succeeded' end, at, at,
         at + n % 600 * interval '1 second', run_number_at(at) + n from ${source}`,
      automationId,
      memberId,
    ],
    [
      `insert into automation_events (run_no, org_id, attempt, previous_sequence, last_sequence, is_terminal, events)
       select run_number_at(date_trunc('hour', at)) + n / 100, org, 1, n % 100 - 1, n % 100, false,
         json_build_array(json_build_object('type', 'assistant', 'createdAt', 1700000000000,
           'payload', json_build_object('text', repeat('All work and no play. ', 8))))::text from ${source}`,
    ],
    [
      `insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, model, input_tokens,
         output_tokens, cost_micros, reported_at)
       select 'run_' || id, 1, -1, org, $4, $5, 'm', 1000, 100, 1000, at from ${source}`,
      automationId,
      memberId,
    ],
    [
      `insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, outcome, headers, body,
         body_digest, received_at, target_connector_id, target_org_id)
       select 'whd_' || id, 'instance', id, null, 'github', 'push', 'accepted', '{}', repeat('x', 500)::bytea, '', at,
         $4, $3 from ${source}`,
      connectorId,
    ],
    [
      `insert into webhook_delivery_keys (scope, delivery_id, id) select 'instance', id, 'whd_' || id from ${source}
       where $3::text is not null`,
    ],
    [
      `insert into audit_events (scope, seq, id, at, action, actor_user_id, actor_member_id, credential, target_type,
         target_id, previous, hash)
       select $3, 1000 + n, 'aud_' || id, at, case when n % 100 = 0 then 'run.started' else 'automation.changed' end,
         'usr_1', $5, 'session', 'automation', $4, '', '' from ${source}`,
      automationId,
      memberId,
    ],
  ];
  const started = performance.now();
  const queue = [...statements];
  const work = async (client: pg.Client) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [text, ...values] = next;
      const table = /into (\w+)/.exec(text)![1]!;
      const createIndexes = await dropIndexes(client, table);
      for (let from = 1; from <= rows; from += rowsPerStatement) {
        const to = Math.min(rows, from + rowsPerStatement - 1);
        await client.query(text, [from, to, orgId, ...values]);
        const seconds = ((performance.now() - started) / 1000).toFixed(0);
        logProgress(`${table}: ${to.toLocaleString("en")} rows, ${seconds} s`);
      }
      for (const statement of createIndexes) await client.query(statement);
      await client.query(`vacuum analyze ${table}`);
    }
    await client.end();
  };
  const others = await Promise.all(Array.from({ length: connections - 1 }, () => connect(url)));
  await Promise.all([client, ...others].map(work));
  return { orgId, memberId, automationId, connectorId, repository };
}

/** The rows are right, so foreign keys are not checked, where the role may decide that. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off; set maintenance_work_mem = '256MB'");
  await client.query("set session_replication_role = replica").catch(() => {});
  return client;
}

/** Drops the indexes that are not constraints: creating them after the rows takes a fraction of the time. */
async function dropIndexes(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid = $1::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [table],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  // The definition of an index of a partitioned table leaves out the partitions.
  return rows.map(({ definition }) => definition.replace(" ON ONLY ", " ON "));
}
