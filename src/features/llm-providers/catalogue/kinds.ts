/** How the key is sent. */
type Authentication = "bearer" | "x-api-key" | "x-goog-api-key" | "api-key";

export interface ProviderKind {
  name: string;
  /** The default address. Null: the address must be given. */
  baseUrl: string | null;
  /** An example of an address, for kinds without a default. */
  example?: string;
  authentication: Authentication;
  /** Servers of the organization itself may need no key. */
  keyOptional?: true;
  /** Headers that every request needs besides the key. */
  headers?: Readonly<Record<string, string>>;
  /** The provider of the catalogue whose prices apply. Without it the models have no known prices. */
  prices?: string;
  /** Where the provider lists models without cost, relative to the address. */
  modelsPath: string;
  documentation: string;
}

/** All kinds of providers. The key is the `kind` in the API. */
export const providerKinds = {
  anthropic: {
    name: "Anthropic",
    baseUrl: "https://api.anthropic.com",
    authentication: "x-api-key",
    headers: { "anthropic-version": "2023-06-01" },
    prices: "anthropic",
    modelsPath: "/v1/models?limit=1000",
    documentation: "https://docs.anthropic.com/en/api/overview",
  },
  openai: {
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    authentication: "bearer",
    prices: "openai",
    modelsPath: "/models",
    documentation: "https://platform.openai.com/docs/api-reference",
  },
  google: {
    name: "Google Gemini",
    baseUrl: "https://generativelanguage.googleapis.com",
    authentication: "x-goog-api-key",
    prices: "google",
    modelsPath: "/v1beta/models?pageSize=1000",
    documentation: "https://ai.google.dev/gemini-api/docs",
  },
  vertex: {
    name: "Google Vertex AI",
    baseUrl: "https://aiplatform.googleapis.com",
    authentication: "x-goog-api-key",
    prices: "google",
    modelsPath: "/v1beta1/publishers/google/models?pageSize=1000",
    documentation: "https://cloud.google.com/vertex-ai/generative-ai/docs",
  },
  azure: {
    name: "Azure OpenAI",
    baseUrl: null,
    example: "https://example.openai.azure.com",
    authentication: "api-key",
    prices: "azure",
    modelsPath: "/openai/models?api-version=2024-10-21",
    documentation: "https://learn.microsoft.com/azure/ai-services/openai/reference",
  },
  bedrock: {
    name: "Amazon Bedrock",
    baseUrl: null,
    example: "https://bedrock.us-east-1.amazonaws.com",
    authentication: "bearer",
    prices: "bedrock",
    modelsPath: "/foundation-models",
    documentation: "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html",
  },
  mistral: {
    name: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    authentication: "bearer",
    prices: "mistral",
    modelsPath: "/models",
    documentation: "https://docs.mistral.ai/api/",
  },
  groq: {
    name: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    authentication: "bearer",
    prices: "groq",
    modelsPath: "/models",
    documentation: "https://console.groq.com/docs/api-reference",
  },
  together: {
    name: "Together AI",
    baseUrl: "https://api.together.xyz/v1",
    authentication: "bearer",
    prices: "together",
    modelsPath: "/models",
    documentation: "https://docs.together.ai/reference",
  },
  fireworks: {
    name: "Fireworks AI",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    authentication: "bearer",
    prices: "fireworks",
    modelsPath: "/models",
    documentation: "https://docs.fireworks.ai/api-reference/introduction",
  },
  deepseek: {
    name: "DeepSeek",
    baseUrl: "https://api.deepseek.com",
    authentication: "bearer",
    prices: "deepseek",
    modelsPath: "/models",
    documentation: "https://api-docs.deepseek.com/",
  },
  xai: {
    name: "xAI",
    baseUrl: "https://api.x.ai/v1",
    authentication: "bearer",
    prices: "xai",
    modelsPath: "/models",
    documentation: "https://docs.x.ai/docs/api-reference",
  },
  cohere: {
    name: "Cohere",
    baseUrl: "https://api.cohere.com",
    authentication: "bearer",
    prices: "cohere",
    modelsPath: "/v1/models?page_size=1000",
    documentation: "https://docs.cohere.com/reference/about",
  },
  perplexity: {
    name: "Perplexity",
    baseUrl: "https://api.perplexity.ai",
    authentication: "bearer",
    prices: "perplexity",
    // It has no list of models. The list of own requests needs a valid key too.
    modelsPath: "/async/chat/completions",
    documentation: "https://docs.perplexity.ai/api-reference",
  },
  openrouter: {
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    authentication: "bearer",
    prices: "openrouter",
    // The list of models is public, so it says nothing about the key.
    modelsPath: "/key",
    documentation: "https://openrouter.ai/docs/api-reference/overview",
  },
  ollama: {
    name: "Ollama",
    baseUrl: null,
    example: "http://127.0.0.1:11434/v1",
    authentication: "bearer",
    keyOptional: true,
    modelsPath: "/models",
    documentation: "https://docs.ollama.com/openai",
  },
  vllm: {
    name: "vLLM",
    baseUrl: null,
    example: "https://llm.example.com/v1",
    authentication: "bearer",
    keyOptional: true,
    modelsPath: "/models",
    documentation: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
  },
  openai_compatible: {
    name: "OpenAI-compatible endpoint",
    baseUrl: null,
    example: "https://llm.example.com/v1",
    authentication: "bearer",
    keyOptional: true,
    modelsPath: "/models",
    documentation: "https://platform.openai.com/docs/api-reference",
  },
} as const satisfies Record<string, ProviderKind>;

export type KindName = keyof typeof providerKinds;
export const kindNames = Object.keys(providerKinds) as [KindName, ...KindName[]];

export const findKind = (name: string): ProviderKind | undefined =>
  Object.hasOwn(providerKinds, name) ? providerKinds[name as KindName] : undefined;
