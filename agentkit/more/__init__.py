"""What goes beyond the course: loaded only when it is asked for, so that `import agentkit` stays light.

Each group can be read by itself, its modules in this order:

other models         settings  post  openai  functions  environment
traces used again    journal
help for small models, and limits
                     recover  context  guards  deadline
what a text says     patterns  numbers  words  layout
what tools gave      values  walk  sources
facts with a source  claims
names and places     fields  records  labels  facts  support  siblings  rows  runs  places
uses of all that     claims_checks  receipts
a model that is led  listing  lead
"""
