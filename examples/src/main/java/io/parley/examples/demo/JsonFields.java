package io.parley.examples.demo;

import io.parley.examples.console.CommandFailedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The fields of a line that a command of this program printed: a flat JSON object whose texts contain no escapes.
 *
 * @param source the name of the process that printed the line
 * @param line   the JSON object
 */
record JsonFields(String source, String line) {

    String text(String name) {
        return find(name, "\"([^\"]*)\"");
    }

    long number(String name) {
        return (long) Double.parseDouble(find(name, "([-0-9.E]+)"));
    }

    double real(String name) {
        return Double.parseDouble(find(name, "([-0-9.E]+)"));
    }

    private String find(String name, String value) {
        Matcher matcher =
                Pattern.compile("\"" + Pattern.quote(name) + "\":" + value).matcher(line);
        if (!matcher.find()) {
            throw new CommandFailedException(source + " printed no " + name + ": " + line);
        }
        return matcher.group(1);
    }
}
