package io.parley.examples.shell;

import java.io.IOException;
import java.util.List;

/**
 * Something that can be typed.
 *
 * @param name     the first word
 * @param words    what may follow, for people
 * @param help     what it does
 * @param minWords how many have to follow
 * @param maxWords how many may
 * @param body     what it does
 */
record ShellAction(String name, String words, String help, int minWords, int maxWords, Body body) {

    /** Does it. */
    @FunctionalInterface
    interface Body {
        void run(List<String> words) throws IOException, InterruptedException;
    }

    String usage() {
        return words.isEmpty() ? name : name + " " + words;
    }
}
