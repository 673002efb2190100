/** Where a result was measured, and how it is written down. */
@NullMarked
package io.polder.bench.report;

import org.jspecify.annotations.NullMarked;
