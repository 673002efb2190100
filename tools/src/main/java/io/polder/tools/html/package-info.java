/**
 * Pages for a browser: one file with text, tables and charts that needs nothing else. Knows nothing
 * of experiments or pools, except that it can read a pool's map.
 */
@NullMarked
package io.polder.tools.html;

import org.jspecify.annotations.NullMarked;
