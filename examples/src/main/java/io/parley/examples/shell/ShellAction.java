package io.parley.examples.shell;

import java.io.IOException;
import java.util.List;

/**
 * A command of the shell.
 *
 * @param name         the first word
 * @param synopsis     the arguments, for the help text
 * @param help         a description for the help text
 * @param minArguments the minimum number of arguments
 * @param maxArguments the maximum number of arguments
 * @param body         the implementation
 */
record ShellAction(String name, String synopsis, String help, int minArguments, int maxArguments, Body body) {

    /** Executes a command. */
    @FunctionalInterface
    interface Body {
        void run(List<String> arguments) throws IOException, InterruptedException;
    }

    String usage() {
        return synopsis.isEmpty() ? name : name + " " + synopsis;
    }
}
