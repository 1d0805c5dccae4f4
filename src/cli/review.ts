// hodhod review: lists the messages that a content rule keeps for staff, and allows or refuses them.
import { Command } from "commander";
import { CommandFailed } from "../command-failed.ts";
import { DirectoryService } from "../directory/directory-service.ts";
import { type Decision, decideReview } from "../intake/decide-review.ts";
import type { Database } from "../store/database.ts";
import { listReview, type ReviewChoice, type ReviewedMessage } from "../store/review.ts";
import { isUuid } from "../uuid.ts";
import { commandActor } from "./command-actor.ts";
import { type CommandContext, print, printJson } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
