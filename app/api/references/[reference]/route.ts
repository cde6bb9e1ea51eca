import { getReferenceContract } from "@/lib/contracts/get-reference";
import { route, routes } from "@/lib/http/route";
import { getReference } from "@/lib/services/get-reference";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getReference, getReferenceContract));
