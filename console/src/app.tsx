// The whole console: which page an address shows, and to whom.
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import { isOfForm, isStillList } from "./api/queries.ts";
import { followOtherTabs, landingOf, makeQueryClient, sessionKey, useSession } from "./api/session.ts";
import type { Session } from "./api/types.ts";
import { Frame } from "./frame/frame.tsx";
import { LostConnection } from "./frame/lost-connection.tsx";
import { routesFor } from "./frame/page-list.ts";
import { pageParams } from "./frame/page-params.ts";
import { PersonContext } from "./frame/person.ts";
import { NotFoundPage } from "./pages/not-found.tsx";
import { safeDestination } from "./pages/sign-in/destination.ts";
import { SignInPage, useTicket } from "./pages/sign-in/sign-in-page.tsx";
import { later } from "./parts/later.tsx";
import { Guarded, Problem } from "./parts/problem.tsx";
import { Waiting } from "./parts/table.tsx";
import { useLanguage } from "./preferences.ts";

const base = "/console";

const FirstPassword = later(async () => (await import("./pages/profile/first-steps.tsx")).FirstPassword);
const FirstSecondFactor = later(async () => (await import("./pages/profile/first-steps.tsx")).FirstSecondFactor);

export function App() {
  const [client] = useState(makeQueryClient);
  useEffect(() => followOtherTabs(client), [client]);
  useLanguageOfAnswers(client);
  return (
    <QueryClientProvider client={client}>
      <Router base={base}>
        <LostConnection />
        <Switch>
          <Route path="/sign-in">
            <SignInDoor />
          </Route>
          <Route>
            <Inside />
          </Route>
        </Switch>
      </Router>
    </QueryClientProvider>
  );
}

/** What the API has put into words, such as why a message was not sent, follows the language. */
function useLanguageOfAnswers(client: QueryClient): void {
  const language = useLanguage();
  const asked = useRef(language);
  useEffect(() => {
    if (asked.current === language) return;
    asked.current = language;
    void client.invalidateQueries({
      predicate: (query) => query.queryKey[0] !== sessionKey[0] && !isOfForm(query) && !isStillList(query),
    });
  }, [language, client]);
}

/** Who is signed in already goes where they were going. */
function SignInDoor() {
  const { isEntering, problem } = useTicket();
  return isEntering ? null : <SignInOrIn problem={problem} />;
}

function SignInOrIn({ problem }: { readonly problem: unknown }) {
  const { data: session, isPending } = useSession();
  if (isPending) return null;
  if (session) return <Redirect to={safeDestination(window.location.search) ?? landingOf(session.user)} replace />;
  return <SignInPage problem={problem} />;
}

function Inside() {
  const session = useSession();
  const [location] = useLocation();
  if (session.isPending) return null;
  if (session.isLoadingError) return <Problem error={session.error} onRetry={() => void session.refetch()} />;
  if (session.data === null) {
    const going = location + window.location.search;
    return <Redirect to={going === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(going)}`} replace />;
  }
  return (
    <Suspense fallback={<Waiting />}>
      <Signed session={session.data} />
    </Suspense>
  );
}

function Signed({ session }: { readonly session: Session }) {
  const { user } = session;
  const [isSettingFactor, setSettingFactor] = useState(false);
  if (session.passwordSetBy !== undefined) return <FirstPassword setBy={session.passwordSetBy} />;
  if (session.mustSetSecondFactor === true || isSettingFactor)
    return <FirstSecondFactor onBegin={() => setSettingFactor(true)} onDone={() => setSettingFactor(false)} />;
  return (
    <PersonContext value={user}>
      <Frame>
        <Switch>
          <Route path="/">
            <Redirect to={landingOf(user)} replace />
          </Route>
          {routesFor(user).map(({ path, Page = NotFoundPage }) => (
            <Route key={path} path={path}>
              {() => (
                // Each address is a page of its own: nothing of one object is shown at another.
                <AtTop key={window.location.pathname}>
                  <Guarded>
                    <Suspense fallback={<Waiting />}>
                      <Page params={pageParams(base + path, window.location.pathname)} />
                    </Suspense>
                  </Guarded>
                </AtTop>
              )}
            </Route>
          ))}
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Frame>
    </PersonContext>
  );
}

/** A new page begins at its top. */
function AtTop({ children }: { readonly children: ReactNode }) {
  useEffect(() => {
    // Its value is no clean-up: some browsers answer a promise.
    window.scrollTo(0, 0);
  }, []);
  return children;
}
