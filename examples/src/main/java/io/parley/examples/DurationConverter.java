package io.parley.examples;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations such as {@code 30}, {@code 30s}, {@code 5m} and {@code 2h}; seconds without a unit. */
final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern FORMAT = Pattern.compile("(\\d{1,9})([smh]?)");

    @Override
    public Duration convert(String value) {
        Matcher matcher = FORMAT.matcher(value);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + value + "' is not a duration (expected: such as 30s, 5m or 2h)");
        }
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofSeconds(count);
        };
    }
}
