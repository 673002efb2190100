/** Runs benchmarks and keeps what they found. */
@NullMarked
package io.polder.bench.report;

import org.jspecify.annotations.NullMarked;
