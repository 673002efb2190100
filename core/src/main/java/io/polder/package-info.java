/**
 * What users call: the pool and its statistics. Start with {@link io.polder.MemoryPool}.
 *
 * <h2>Settings</h2>
 *
 * <p>System properties, read once, when the first pool is made or the first arena opened:
 *
 * <ul>
 *   <li>{@code polder.confined.slab.size}: bytes in a slab, a power of two from 2048 to 1048576;
 *       16384 if not set.
 *   <li>{@code polder.confined.slab.count}: slabs that a platform thread keeps, a power of two up
 *       to 64; 8 if not set.
 * </ul>
 *
 * <p>Either of them 0 turns pooling off: all arenas are then the JDK's.
 *
 * <ul>
 *   <li>{@code polder.leaks}: {@code off}, {@code sampled} or {@code all}; {@code off} if not set.
 *       How closely pools look for what nobody closed or freed: {@link io.polder.LeakDetection}.
 *   <li>{@code polder.blocks.check}: {@code on} or {@code off}; {@code off} if not set. Whether
 *       pools look for misuse of blocks: {@link io.polder.BlockAllocator}.
 *   <li>{@code polder.clear}: {@code close} or {@code use}; {@code use} if not set. Whether arenas
 *       clear all that they had when they are closed, or larger parts of it are cleared when they
 *       are used again: {@link io.polder.MemoryPool.Builder#clearAtClose}.
 *   <li>{@code polder.mxbean}: {@code false} if pools are not to be registered as MXBeans; they are
 *       with any other value. See {@link io.polder.MemoryPoolMXBean}.
 * </ul>
 *
 * <p>A value that breaks its rule is not used, and a warning is logged by the logger {@code
 * io.polder}.
 *
 * <h2>Native access</h2>
 *
 * <p>Pooling needs native access for module {@code io.polder} ({@code --enable-native-access}).
 * Where it is denied, all arenas are the JDK's, and that is logged once. {@link
 * io.polder.MemoryPool#stats} says which of these is the case.
 */
package io.polder;
