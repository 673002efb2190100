package io.polder.lab.experiment;

/**
 * What an experiment is told by the command line.
 *
 * @param quick done within 45 seconds on two idle cores, at the price of a wider spread
 * @param seed decides everything that is drawn at random
 * @param progress where the experiment says how far it is
 */
public record Context(boolean quick, long seed, Progress progress) {}
