/**
 * Gates: who is inside, and how to wait until they have left.
 *
 * <pre>{@code
 *   Gate  <--  AbstractGate  <--  SingleCounterGate, StripedGate   visits counted in Stripes
 *                  |         <--  SlotGate                         visits marked in Slots
 *                  |
 *                Door           open or closed
 *                Visitors       the visitor of each thread: SlotVisitor or CounterVisitor
 *                Protocol       CounterProtocol or SlotProtocol: who must leave
 *                Drain          waits until they have
 * }</pre>
 *
 * <p>Imports {@code io.polder.memory}, for the fence of all threads. Start with {@link
 * io.polder.gate.Gate}.
 */
@NullMarked
package io.polder.gate;

import org.jspecify.annotations.NullMarked;
