// Runs once for each file of tests, also where files share a process.
import { afterAll } from "vitest";
import { closeDatabases } from "./database.ts";

afterAll(closeDatabases);
