/** What users call: the pool and its statistics. Start with {@link io.polder.MemoryPool}. */
package io.polder;
