/**
 * Gates: which threads are inside, and how a thread waits until they have left.
 *
 * <pre>{@code
 *   Gate  <--  AbstractGate  <--  SlotGate      critical sections marked in Slots
 *                  |
 *                  ClosedState      whether threads are let in
 *                  ReaderRegistry   the reader of each thread: SlotReader or CounterReader
 *                  Protocol         SlotProtocol or CounterProtocol: which readers to wait for
 *                  ReaderWait       waits until these have left
 * }</pre>
 *
 * <p>Gates with counters alone, which {@code bench} compares with this one, extend {@code
 * AbstractGate} as well, in a package of the same name.
 *
 * <p>Imports {@code io.polder.memory}, for the fence of all threads. Start with {@link
 * io.polder.gate.Gate}.
 */
@NullMarked
package io.polder.gate;

import org.jspecify.annotations.NullMarked;
