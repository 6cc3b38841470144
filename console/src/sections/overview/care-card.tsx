import type { Attention, AttentionItem } from "@signalbox/client";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useOrganization } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { attention, overview } from "../../texts/overview.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { copyText } from "../../ui/copy.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Tag } from "../../ui/state.tsx";
import { useNow } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { describeAttention } from "./describe-attention.ts";

const texts = overview.care;
/** More are shown when somebody asks. */
const shownFirst = 5;

export function CareCard({ items, isTruncated }: Attention) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, shownFirst);
  const rest = items.length - shownFirst;
  return (
    <Card
      title={texts.title}
      beside={items.length > 0 && <Tag>{items.length}</Tag>}
      className="care-list order-1"
    >
      {items.length === 0 ? (
        <Empty icon={ShieldCheck} title={texts.none} text={texts.noneText} />
      ) : (
        <ul>
          {shown.map((item) => (
            <CareItem key={item.key} item={item} />
          ))}
          {rest > 0 && (
            <li className="item last">
              <button type="button" className="more bare-more" onClick={() => setIsWhole(!isWhole)}>
                {isWhole ? texts.fewer : texts.more(rest)}
              </button>
              {isWhole && isTruncated && <span className="small t3">{texts.truncated}</span>}
            </li>
          )}
        </ul>
      )}
    </Card>
  );
}

function CareItem({ item }: { item: AttentionItem }) {
  const { memberId } = useOrganization();
  const now = useNow();
  const path = usePath();
  const { icon: Icon, title, text, action } = describeAttention(item, { memberId, now });
  return (
    <li className="item">
      <span className={`${item.severity === "error" ? "bad" : "care"} ic0`}>
        <Icon className="i" aria-hidden />
      </span>
      <div className="grow">
        <h3>{title}</h3>
        <p>{text}</p>
      </div>
      {action &&
        ("to" in action ? (
          <LinkButton size="s" to={path(action.to)}>
            {action.label}
          </LinkButton>
        ) : (
          <AskButton label={action.label} name={action.ask} problem={`${title}. ${text}`} />
        ))}
    </li>
  );
}

/** Puts a message for the owner into the clipboard, with the address where it is solved. */
function AskButton({ label, name, problem }: { label: string; name: string; problem: string }) {
  const toast = useToast();
  const path = usePath();
  const firstName = name.split(" ")[0]!;
  const ask = async () => {
    const address = `${window.location.origin}${path("/connections/accounts")}`;
    if (await copyText(attention.request(firstName, problem, address))) toast(attention.asked(firstName));
  };
  return (
    <Button size="s" onClick={ask}>
      {label}
    </Button>
  );
}
