import { useRead } from "../../lib/queries.ts";
import { settings } from "../../texts/settings.ts";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { QuotaTable } from "../../ui/quota-table.tsx";

const texts = settings.quotas;

export function Quotas() {
  const quotas = useRead("GET /v1/organization/quotas", {}, { everyMs: 30_000 });
  return (
    <div className="parts">
      <p>{texts.lead}</p>
      <Loaded query={quotas} what={texts.what} rows={10}>
        {({ items, provisional }) => (
          <>
            {provisional && <p className="note care">{texts.provisional}</p>}
            <Card>
              <QuotaTable quotas={items} />
            </Card>
          </>
        )}
      </Loaded>
    </div>
  );
}
