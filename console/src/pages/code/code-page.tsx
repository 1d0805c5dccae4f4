// How a program sends: a sample that works as it is, but for the key.
import { useState } from "react";
import { Link } from "wouter";
import { keyPlaceholder, linePlaceholder, textCall } from "../../../../src/texts/code-samples.ts";
import { useAnswer } from "../../api/queries.ts";
import { useAble, usePerson } from "../../frame/person.ts";
import { Select } from "../../parts/controls.tsx";
import { PageHead } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useTexts } from "../../texts/texts.ts";
import { SampleCode } from "./sample-code.tsx";

export function CodePage() {
  const t = useTexts();
  const { account = "" } = usePerson();
  const mayMakeKeys = useAble("manage");
  const own = useAnswer("GET /accounts/{name}", { params: { name: account } });
  const lines = own.data?.lines ?? [];
  const [chosenLine, setLine] = useState<string>();
  const line = chosenLine ?? lines[0] ?? linePlaceholder;
  return (
    <>
      <PageHead
        title={t("code.title")}
        lead={t("code.lead", { placeholder: keyPlaceholder })}
        actions={<>{mayMakeKeys && <Link href="/keys">{t("keys.title")}</Link>}</>}
      />
      {own.isError && <Problem error={own.error} onRetry={() => void own.refetch()} />}
      <SampleCode call={textCall(window.location.origin, line)}>
        {lines.length > 1 && (
          <Select
            label={t("message.line")}
            value={line}
            onChoose={setLine}
            options={lines.map((each) => ({ value: each, text: each }))}
          />
        )}
      </SampleCode>
    </>
  );
}
