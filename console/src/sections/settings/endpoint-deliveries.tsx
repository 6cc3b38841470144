import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { Item } from "../../lib/api.ts";
import { formatDuration } from "../../lib/format.ts";
import { useFilters } from "../../lib/paths.ts";
import { useAction, useList, useRead } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Empty, Failure, Loaded, Skeleton } from "../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Tag } from "../../ui/state.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = settings.webhooks;
const list = "GET /v1/webhook-endpoints/{id}/deliveries";
const readOne = "GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}";
type Delivery = Item<typeof list>;
type Status = Delivery["status"];
const tones = { pending: "live", succeeded: "ok", failed: "bad" } as const;
const states: readonly Status[] = ["pending", "succeeded", "failed"];

export function EndpointDeliveries({ id }: { id: string }) {
  const { filters, setFilters } = useFilters();
  const status = states.find((state) => state === filters.status);
  const deliveries = useList(
    list,
    { path: { id }, query: status === undefined ? {} : { status } },
    { everyMs: 5_000 },
  );
  return (
    <section className="stack" aria-label={texts.deliveries}>
      <div className="row wrap">
        <h3 className="grow">{texts.deliveries}</h3>
        <Segments
          label={texts.filter}
          value={status ?? "all"}
          onChange={(value) => setFilters({ status: value === "all" ? undefined : value })}
          options={[
            { value: "all", label: texts.all },
            ...states.map((value) => ({ value, label: texts.deliveryStates[value] })),
          ]}
        />
      </div>
      {deliveries.isLoading ? (
        <Skeleton rows={3} />
      ) : deliveries.error && deliveries.rows.length === 0 ? (
        <Failure error={deliveries.error} what={texts.deliveriesWhat} onRetry={deliveries.retry} />
      ) : deliveries.rows.length === 0 ? (
        <Empty title={texts.noDeliveries} text={texts.noDeliveriesText} />
      ) : (
        <ul aria-label={texts.deliveriesLabel}>
          {deliveries.rows.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      {deliveries.hasMore && <Button onClick={deliveries.loadMore}>{common.actions.more}</Button>}
    </section>
  );
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const [isOpen, setIsOpen] = useState(false);
  const { type, status, lastAttempt, createdAt, attempt } = delivery;
  const answer = lastAttempt?.responseStatus ?? lastAttempt?.error;
  return (
    <li className="delivery">
      <button type="button" aria-expanded={isOpen} className="row" onClick={() => setIsOpen(!isOpen)}>
        <Tag tone={tones[status]}>{texts.deliveryStates[status]}</Tag>
        <span className="grow cut">{settings.events[type].title}</span>
        <span className="small t3 cut">{answer ?? (attempt > 0 ? texts.noResponse : "")}</span>
        <Time at={createdAt} />
      </button>
      {isOpen && <DeliveryDetails delivery={delivery} />}
    </li>
  );
}

function DeliveryDetails({
  delivery: { id: deliveryId, endpointId: id, nextAttemptAt },
}: {
  delivery: Delivery;
}) {
  const toast = useToast();
  const detail = useRead(readOne, { path: { id, deliveryId } }, { everyMs: 5_000 });
  const retry = useAction("POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry", {
    changes: [list, readOne],
  });
  const { problem, busy, attempt } = useProblem();
  const sendAgain = () =>
    attempt(async () => {
      await retry.run({ path: { id, deliveryId } });
      toast(texts.retried);
    });
  return (
    <div className="stack delivery-details">
      <Loaded query={detail} what={texts.deliveriesWhat}>
        {({ delivery }) => (
          <>
            {nextAttemptAt !== null && (
              <p>
                {texts.nextAttempt}: <Time at={nextAttemptAt} />
              </p>
            )}
            <ol className="attempts" aria-label={texts.attempts}>
              {delivery.attempts.map((one) => (
                <li key={one.attempt}>
                  <p>
                    {one.attempt}. <Time at={one.at} /> {one.responseStatus ?? one.error ?? texts.noResponse}
                    {one.durationMs !== null && ` · ${formatDuration(one.durationMs)}`}
                  </p>
                  {one.response && <Code title={texts.response} text={one.response} />}
                </li>
              ))}
            </ol>
            <Code title={texts.body} text={delivery.body} />
          </>
        )}
      </Loaded>
      <FormProblem problem={problem} />
      <div>
        <Button size="s" icon={RotateCw} busy={busy} onClick={sendAgain}>
          {texts.retry}
        </Button>
      </div>
    </div>
  );
}
