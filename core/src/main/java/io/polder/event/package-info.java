/**
 * Events for JDK Flight Recorder about memory that is committed, given back, taken and leaked.
 *
 * <p>Knows nothing of Polder. {@link io.polder.event.Events} begins each event, and does nothing
 * where nobody records it or the JVM has no Flight Recorder. {@link io.polder.event.EventHold}
 * keeps events back while the thread holds a lock.
 */
package io.polder.event;
