package io.parley.examples.shell;

import java.util.Set;

/**
 * The words that a half typed one may become.
 *
 * @param commands at the start of a line
 * @param names    after that
 */
public record Completions(Set<String> commands, Set<String> names) {}
