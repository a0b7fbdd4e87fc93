"""Result files of JMeter, JTL as CSV and as XML: rows, dates, engines of a remote run, and rows that sum up samples."""
