import { generateKeyContract } from "@/lib/contracts/generate-key";
import { route, routes } from "@/lib/http/route";
import { generateKey } from "@/lib/services/generate-key";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(generateKey, generateKeyContract));
