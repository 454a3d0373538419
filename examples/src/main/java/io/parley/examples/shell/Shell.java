package io.parley.examples.shell;

import io.parley.Peer;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jline.reader.SyntaxError;
import org.jline.reader.impl.DefaultParser;
import org.jspecify.annotations.Nullable;

/** Reads commands and carries them out, one after the other. */
public final class Shell {

    private static final String HELP = "help";
    private static final Set<String> ENDS = Set.of("exit", "quit");
    private static final String END_OF_TALK = "/end";

    private final DefaultParser parser = new DefaultParser().eofOnUnclosedQuote(true);
    private final Map<String, ShellAction> actions = new LinkedHashMap<>();
    private @Nullable ShellSession session;
    private int failures;

    /** What can be completed at the moment. */
    public Completions vocabulary() {
        ShellSession present = session;
        Set<String> commands = new TreeSet<>(actions.keySet());
        commands.addAll(ENDS);
        commands.add(HELP);
        return new Completions(commands, present == null ? Set.of() : present.names());
    }

    /**
     * Runs until the end of the input, or {@code exit}.
     *
     * @param onlyIndex whether the peer has nobody to ask but its rendezvous
     * @return how many commands have failed
     */
    public int run(Peer peer, boolean onlyIndex, ShellInput input) throws IOException, InterruptedException {
        try (ShellSession opened = new ShellSession(peer, onlyIndex, input.console())) {
            session = opened;
            new ShellActionRegistry(opened).all().forEach(action -> actions.put(action.name(), action));
            String line = input.read(opened.prompt());
            while (line != null && !(opened.talk() == null && ENDS.contains(line.strip()))) {
                obey(opened, line.strip());
                line = input.read(opened.prompt());
            }
        }
        return failures;
    }

    private void obey(ShellSession opened, String line) throws IOException, InterruptedException {
        if (line.isEmpty()) {
            return;
        }
        Console console = opened.console();
        try {
            LineSender talk = opened.talk();
            if (talk == null) {
                act(console, parser.parse(line, 0).words());
            } else if (line.equals(END_OF_TALK)) {
                opened.talk(null);
            } else {
                talk.say(line);
            }
        } catch (SyntaxError e) {
            fail(console, "A quote is not closed. Close it, or type \\\" for the character itself.");
        } catch (ParleyException | CommandFailedException | IllegalArgumentException | IOException e) {
            fail(console, FailureFormatter.sentence(e));
        }
    }

    private void act(Console console, List<String> words) throws IOException, InterruptedException {
        String name = words.get(0);
        if (name.equals(HELP)) {
            help(console);
            return;
        }
        ShellAction action = actions.get(name);
        if (action == null) {
            throw new CommandFailedException("There is no command " + name + ". \"help\" lists them.");
        }
        int count = words.size() - 1;
        if (count < action.minWords() || count > action.maxWords()) {
            throw new CommandFailedException("Type: " + action.usage());
        }
        action.body().run(words.subList(1, words.size()));
    }

    private void help(Console console) {
        actions.values().forEach(action -> console.print(String.format("  %-32s %s", action.usage(), action.help())));
        console.print(String.format("  %-32s %s", "exit", "end; so does the end of the input"));
    }

    private void fail(Console console, String sentence) {
        failures++;
        console.notice(sentence);
    }
}
