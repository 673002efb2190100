/**
 * What every experiment measures with: fresh JVMs that are given a task and tell what they find,
 * contenders that take turns, groups of threads, and what is kept of all samples.
 *
 * <pre>{@code
 *   lab --task, one line of JSON--> measuring JVM      MeasuringJvm, ChildJvm
 *   Findings <--samples, one line of JSON each-- MeasuringMain
 * }</pre>
 */
@NullMarked
package io.polder.lab.harness;

import org.jspecify.annotations.NullMarked;
