package io.parley.examples.shell;

import io.parley.Peer;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jline.reader.SyntaxError;
import org.jline.reader.impl.DefaultParser;
import org.jspecify.annotations.Nullable;

/** Reads and executes commands, one after the other. */
public final class Shell {

    private static final String HELP = "help";
    private static final Set<String> EXIT_WORDS = Set.of("exit", "quit");
    private static final String TALK_END = "/end";
    private static final String COMMENT = "#";

    private final DefaultParser parser = new DefaultParser().eofOnUnclosedQuote(true);
    private final Map<String, ShellAction> actions = new LinkedHashMap<>();
    private final Duration timeout;
    private @Nullable ShellSession session;
    private int failures;

    /** Creates a shell that waits 10 s for a peer. */
    public Shell() {
        this(LineSender.DEFAULT_TIMEOUT);
    }

    /** Creates a shell that waits for a peer as long as the timeout. */
    Shell(Duration timeout) {
        this.timeout = timeout;
    }

    /** Returns the words that the tab key completes. */
    public ShellInput.Completions completions() {
        ShellSession current = session;
        Set<String> commands = new TreeSet<>(actions.keySet());
        commands.addAll(EXIT_WORDS);
        commands.add(HELP);
        return new ShellInput.Completions(commands, current == null ? Set.of() : current.names());
    }

    /**
     * Runs until the end of the input, or {@code exit}.
     *
     * @param indexOnly whether the rendezvous are the only source of a search
     * @return the number of failed commands
     */
    public int run(Peer peer, boolean indexOnly, ShellInput input) throws IOException, InterruptedException {
        try (ShellSession opened = new ShellSession(peer, indexOnly, input.console())) {
            session = opened;
            new ShellActionRegistry(opened, timeout).all().forEach(action -> actions.put(action.name(), action));
            String line = input.read(opened.prompt());
            while (line != null
                    && !ShutdownSignal.isClosing()
                    && !(opened.lineSender() == null && EXIT_WORDS.contains(line.strip()))) {
                execute(opened, line.strip());
                line = input.read(opened.prompt());
            }
        }
        return failures;
    }

    private void execute(ShellSession opened, String line) throws IOException, InterruptedException {
        if (line.isEmpty()) {
            return;
        }
        Console console = opened.console();
        try {
            LineSender sender = opened.lineSender();
            if (sender == null) {
                if (line.startsWith(COMMENT)) {
                    return;
                }
                execute(console, parser.parse(line, 0).words());
            } else if (line.equals(TALK_END)) {
                opened.setLineSender(null);
            } else {
                sender.send(line);
            }
        } catch (SyntaxError e) {
            fail(console, "A quote is not closed. Close it, or type \\\" for the character itself.");
        } catch (ParleyException | CommandFailedException | IllegalArgumentException | IOException e) {
            fail(console, FailureFormatter.sentence(e));
        }
    }

    private void execute(Console console, List<String> words) throws IOException, InterruptedException {
        if (words.isEmpty()) { // as for a pair of quotes
            return;
        }
        String name = words.get(0);
        if (name.equals(HELP)) {
            help(console);
            return;
        }
        ShellAction action = actions.get(name);
        if (action == null) {
            throw new CommandFailedException(
                    "Unknown command " + TextFormatter.oneLine(name) + ". \"help\" lists the commands.");
        }
        int count = words.size() - 1;
        if (count < action.minArguments() || count > action.maxArguments()) {
            throw new CommandFailedException("Usage: " + action.usage());
        }
        action.body().run(words.subList(1, words.size()));
    }

    private void help(Console console) {
        actions.values().forEach(action -> console.print("  " + action.usage() + "\n      " + action.help()));
        console.print("  exit\n      end the shell; the end of the input does the same\n"
                + "  #\n      begin a comment: the line is ignored");
    }

    private void fail(Console console, String sentence) {
        failures++;
        if (!ShutdownSignal.isClosing()) {
            console.notice(sentence);
        }
    }
}
