"""Servers with the interface of OpenAI for chats: OpenAI, gateways, vLLM, llama.cpp, Ollama and others."""
